"""Search: look at some of a game, and say how far the answer is to be trusted."""
