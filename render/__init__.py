"""Results for people and programs: diagnostics, answers and pictures as text."""
