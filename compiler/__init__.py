"""Program and DAG: names resolved, states unfolded."""
