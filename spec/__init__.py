"""The language: document model, schema, grammar, readers, writers and diagnostics."""
