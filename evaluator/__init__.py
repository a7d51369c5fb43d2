"""DAG to values, best moves and strategies."""
