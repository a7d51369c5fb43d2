"""The commands: where each is written, what it does in a line, and examples of its use."""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """One command of the command line."""

    module: str
    function: str
    summary: str
    examples: tuple[str, ...]


COMMANDS = {
    "eval": Entry(
        "evaluate",
        "evaluate",
        "Value a game and name the best move.",
        (
            "gametree eval dice",
            "gametree eval push-to-21 --set target=31 --at 'turn(16)'",
            "gametree eval game.yaml --algorithm minimax --format json",
        ),
    ),
    "table": Entry(
        "states",
        "table",
        "List every state of a node.",
        (
            "gametree table push-to-21 --where 'total > 10'",
            "gametree table push-to-21 --policy 'hit until 17' --where differs",
            "gametree table game.yaml turn --sort -value -o states.csv",
        ),
    ),
    "compare": Entry(
        "compare",
        "compare",
        "Say what policies lose, and where.",
        (
            "gametree compare push-to-21",
            "gametree compare push-to-21 --policy 'hit until 17' --top 3",
        ),
    ),
    "opponents": Entry(
        "opponents",
        "opponents",
        "Say what changes if an opponent plays worse.",
        (
            "gametree opponents tic-tac-toe",
            "gametree opponents random-opponent-min --model softmax -o opponent.svg",
            "gametree opponents push-to-21 --at 'turn(14)' --kind max",
        ),
    ),
    "validate": Entry(
        "check",
        "validate",
        "Check files for mistakes.",
        (
            "gametree validate game.yaml",
            "gametree validate games/ --static",
            "gametree validate games/ --format github",
        ),
    ),
    "test": Entry(
        "expectations",
        "check_expectations",
        "Check the answers that files expect.",
        (
            "gametree test game.yaml",
            "gametree test games/ --verbose",
            "gametree test games/ --format github",
        ),
    ),
    "simulate": Entry(
        "simulate",
        "simulate",
        "Play a game many times.",
        (
            "gametree simulate push-to-21 -n 2000000",
            "gametree simulate push-to-21 --policy 'hit until 17' -o push.svg",
            "gametree simulate tic-tac-toe --play min=mistake:0.1 --seed 7 --format json",
        ),
    ),
    "trace": Entry(
        "trace",
        "trace",
        "Show how a game is searched, step by step.",
        (
            "gametree trace dice",
            "gametree trace random-opponent --algorithm minimax --format json",
            "gametree trace push-to-21 --set target=4 --at 'turn(2)'",
        ),
    ),
    "search": Entry(
        "search",
        "search",
        "Look at some of a game: alpha-beta, Star, MCTS.",
        (
            "gametree search tic-tac-toe",
            "gametree search pig-race --algorithm star2 --budget 2s",
            "gametree search push-to-21 --compare",
        ),
    ),
    "compile": Entry(
        "compile",
        "compile_game",
        "Keep a game unfolded, for other commands.",
        (
            "gametree compile push-to-21 --set target=1000000 -o push.npz",
            "gametree compile game.yaml -o game.npz && gametree eval game.npz",
            "gametree compile game.yaml --exact -o game.npz",
        ),
    ),
    "dot": Entry(
        "dot",
        "dot",
        "Draw a game: SVG, PNG, PDF, DOT, Mermaid or TikZ.",
        (
            "gametree dot dice -o dice.svg",
            "gametree dot dice --trace 17 --legend -o step17.svg",
            "gametree dot oil-wildcatter --style decision --format tikz",
        ),
    ),
    "view": Entry(
        "view",
        "view",
        "Write a page that steps through a game.",
        (
            "gametree view dice -o dice.html",
            "gametree view push-to-21 --policy 'hit until 17' -o push.html",
            "gametree view game.yaml --algorithm minimax --set fee=40 -o game.html",
        ),
    ),
    "serve": Entry(
        "serve",
        "serve",
        "Serve a game's page, reloaded on change.",
        (
            "gametree serve game.yaml --open",
            "gametree serve push-to-21 --set target=31 --port 8000",
        ),
    ),
    "convert": Entry(
        "convert",
        "convert",
        "Write a game in the other notation.",
        (
            "gametree convert game.yaml",
            "gametree convert game.tree -o game.yaml",
            "gametree convert game.yaml --to json",
        ),
    ),
    "fmt": Entry(
        "fmt",
        "fmt",
        "Write files in the canonical style.",
        (
            "gametree fmt games/",
            "gametree fmt games/ --check --diff",
            "gametree fmt - < game.yaml",
        ),
    ),
    "schema": Entry(
        "reference",
        "schema",
        "Print the JSON Schema, for editors.",
        (
            "gametree schema",
            "gametree schema -o gametree.schema.json",
        ),
    ),
    "trees": Entry(
        "reference",
        "trees",
        "List or print the bundled games.",
        (
            "gametree trees",
            "gametree trees dice",
            "gametree trees dice --notation text > dice.tree",
        ),
    ),
    "explain": Entry(
        "reference",
        "explain",
        "Explain an error code.",
        (
            "gametree explain GT301",
            "gametree explain",
        ),
    ),
}
