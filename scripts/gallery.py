"""Writes ``docs/gallery.md`` and its pictures from the bundled games.

    python scripts/gallery.py

For each game: a picture, the value, what it teaches, and the file in both notations. A game that is
too large for a picture is drawn with smaller parameters, from a later state, or down to a level.
A test sees to it that what is kept is what this writes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import gametree
from gametree.render.numbers import value_text
from gametree.render.pictures import Look, picture
from gametree.spec.reader import bundled, bundled_names

if TYPE_CHECKING:
    from gametree.evaluator.solution import Answer
    from gametree.render.drawn import RankDir
    from gametree.render.shapes import Style

DOCS = Path(__file__).parent.parent / "docs"
MOST = 80  # nodes of a picture
INTRODUCTION = """\
# Gallery

<!-- written by scripts/gallery.py; do not edit -->

Every bundled game: a picture, what it is worth, what it teaches, and the file in both notations.
`gametree eval dice` solves one, `gametree view dice` steps through it, and `gametree trees dice`
prints it. A large game is drawn with smaller parameters, as said below its picture, or down to a
level.
"""


@dataclass(frozen=True)
class Exhibit:
    """What a game teaches, and how it is drawn."""

    teaches: str
    settings: dict[str, str] = field(default_factory=dict)
    at: str | None = None
    rankdir: RankDir = "TB"
    style: Style = "game"


EXHIBITS: dict[str, Exhibit] = {
    "dice": Exhibit(
        "The smallest tree with every kind of node. Expectiminimax lets each kind do its own: "
        "MIN's four choices first, then the averages of the die, then MAX's choice between them."
    ),
    "random-opponent": Exhibit(
        "Who sits on the other side decides what is best. Against one who does not care, averages "
        "count, and C is best; minimax (`--algorithm minimax`) takes chance for an enemy and "
        "picks B."
    ),
    "random-opponent-min": Exhibit(
        "A file says what the opponent can do; how well they play is asked when it is evaluated. "
        "`--play min=random` turns this tree into the one before."
    ),
    "rescaled": Exhibit(
        "Minimax needs only the order of the payoffs. Averages need their sizes: the same order, "
        "stretched, has another best move."
    ),
    "sign-contract": Exhibit(
        "A decision under risk. The fee decides: below 60,000 the film is better on average, and "
        "someone who fears the worst never takes it."
    ),
    "oil-wildcatter": Exhibit(
        "Information is worth what it changes. The survey is paid for only because a bad one "
        "makes you sell. In the shapes of decision analysis: `--style decision`.",
        rankdir="LR",
        style="decision",
    ),
    "monty-hall": Exhibit(
        "A choice stands above everything the player does not know, or the player of the tree "
        "would see the car. Told in the order of what is seen, switching wins two times in three."
    ),
    "push-to-21": Exhibit(
        "A game with state. Equal totals are one node, however they came about, so the game is a "
        "small graph; a node drawn elsewhere is dashed. When to stop is a table, not a line.",
        {"target": "4", "faces": "4"},
    ),
    "red-black-cards": Exhibit(
        "Optimal stopping: one need not take what is there as long as what may come is worth more. "
        "A game that pays nothing to the end is worth something to who may leave.",
        {"cards": "2"},
    ),
    "secretary": Exhibit(
        "Optimal stopping without payoffs to compare: look at a share of 1/e of them, then take "
        "the next that beats them all.",
        {"candidates": "5"},
        rankdir="LR",
    ),
    "bandit": Exhibit(
        "To explore or to exploit: a pull earns, and it tells. The state is what has been seen.",
        {"pulls": "2"},
        rankdir="LR",
    ),
    "nim": Exhibit(
        "A game of no chance at all, whose winning positions have a rule (Bouton, 1901). Branches "
        "made by a loop.",
        {"left": "1", "middle": "2", "right": "0"},
    ),
    "tic-tac-toe": Exhibit(
        "The game of every course, in twenty lines: 5,478 positions, each solved once. Nobody "
        "wins, unless somebody slips.",
        at="x_moves(bit(1) + bit(6) + bit(8), bit(2) + bit(5) + bit(7))",
    ),
    "dots-and-boxes": Exhibit(
        "Who moves next depends on the move: a box closed is another turn. Moves that look "
        "greedy lose.",
        {"rows": "1", "columns": "1"},
        rankdir="LR",
    ),
    "hog": Exhibit(
        "Two players, each with chance of their own, and one node for both: the value of the "
        "other's turn is 1 less one's own.",
        {"goal": "2", "most": "1"},
    ),
    "pig-race": Exhibit(
        "To hold or to roll on depends on both scores; the rule of thumb “hold at 20” is "
        "good, and not best. Two million states, solved by machine code.",
        {"target": "2"},
        rankdir="LR",
    ),
    "blackjack": Exhibit(
        "Chance above and below each choice. The house wins, a little, against the best play: "
        "`gametree table blackjack` is the basic strategy of the books.",
        rankdir="LR",
    ),
    "2048-2x2": Exhibit(
        "A program plays a computer game: moves, and chance that answers each. Lists as states.",
        rankdir="LR",
    ),
    "yahtzee-small": Exhibit(
        "Choices of what to keep: the outcomes of a roll counted, not listed. Drawn with one die "
        "and the category of ones.",
        {"sheet": "[1]", "size": "1"},
        rankdir="LR",
    ),
}


def made() -> dict[str, str]:
    """Each file's path below ``docs``, and its text."""
    names = [*EXHIBITS, *(name for name in bundled_names() if name not in EXHIBITS)]
    pictures = {f"gallery/{name}.svg": _picture(name, _exhibit(name)) for name in names}
    return {"gallery.md": _page(names), **pictures}


def _exhibit(name: str) -> Exhibit:
    """What is said of ``name``; of one that nothing is said of, what its file says."""
    if name in EXHIBITS:
        return EXHIBITS[name]
    description = str(gametree.load(name).document.data.get("description", ""))
    return Exhibit(description.partition("\n\n")[0].replace("\n", " ").strip())


def _picture(name: str, exhibit: Exhibit) -> str:
    game = gametree.load(name, **exhibit.settings)
    solution = game.solution(at=exhibit.at)
    look = Look(
        "svg",
        style=exhibit.style,
        rankdir=exhibit.rankdir,
        most=MOST,
        legend=True,
        title=game.name,
        players=game.players,
    )
    return picture(solution.dag, solution, look).decode()


def _page(names: list[str]) -> str:
    return "\n".join([INTRODUCTION, *map(_section, names)])


def _section(name: str) -> str:
    exhibit = _exhibit(name)
    game = gametree.load(name)
    answer = game.evaluate()
    parts = [
        f"## {game.name}\n",
        f"![The game tree of {game.name}](gallery/{name}.svg)\n",
        f"{exhibit.teaches}\n",
        f"{_worth(answer)}\n",
        _drawn_by(name, exhibit),
        _folded(name, "tree", "text notation"),
        _folded(name, "yaml", "YAML"),
    ]
    return "\n".join(parts)


def _drawn_by(name: str, exhibit: Exhibit) -> str:
    """The command that draws the picture."""
    options = [f"--set {key}={_shell(value)}" for key, value in exhibit.settings.items()]
    options += [] if exhibit.at is None else [f"--at '{exhibit.at}'"]
    options += [] if exhibit.rankdir == "TB" else [f"--rankdir {exhibit.rankdir}"]
    options += [] if exhibit.style == "game" else [f"--style {exhibit.style}"]
    command = " ".join(
        ["gametree dot", name, *options, f"--max-nodes {MOST} --legend -o {name}.svg"]
    )
    return f"Drawn by `{command}`.\n"


def _shell(value: str) -> str:
    return f"'{value}'" if set(value) & set("[]() ") else value


def _worth(answer: Answer) -> str:
    best = " or ".join(f"`{label}`" for label in answer.best[:9])
    size = f"{answer.size.nodes:,} nodes"
    value = f"{answer.value:.8g}" if isinstance(answer.value, float) else value_text(answer.value)
    return f"**Value** {value}{f', best: {best}' if best else ''}; {size}."


def _folded(name: str, suffix: str, notation: str) -> str:
    """A file, folded; fenced by tildes, for it is tested where it is kept."""
    path = bundled(name)
    assert path is not None
    text = Path(path).with_suffix(f".{suffix}").read_text(encoding="utf-8").rstrip()
    summary = f"<summary>{name}.{suffix}: {notation}</summary>"
    return f"<details>{summary}\n\n~~~{suffix}\n{text}\n~~~\n\n</details>\n"


def main() -> None:
    """Write what is not there or not the same, and take away pictures of games that are gone."""
    files = made()
    (DOCS / "gallery").mkdir(exist_ok=True)
    for name, text in files.items():
        (DOCS / name).write_text(text, encoding="utf-8", newline="\n")
    for path in (DOCS / "gallery").glob("*.svg"):
        if f"gallery/{path.name}" not in files:
            path.unlink()


if __name__ == "__main__":
    main()
