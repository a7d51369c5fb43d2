"""What runs against what: games, their known values, and the models for Storm."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction

MODELS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "models")


@dataclass(frozen=True)
class Case:
    """One game for Storm and for us.

    ``value`` is known from elsewhere. ``together`` is what Storm is asked where two players
    play: the value if both help the first, which ``seats`` (a game and its settings) tells.
    """

    title: str
    ours: tuple[str, ...]
    model: str
    constants: str
    asked: str
    value: float
    seats: tuple[str, ...] | None = None
    stochastic_game: str | None = None


def push(target: int) -> Case:
    return Case(
        f"Push to {target:,}",
        ("push-to-21", f"target={target}"),
        "push.prism",
        f"N={target}",
        'R{"payoff"}max=? [F "over"]',
        target - 6,
    )


def pig_race(target: int, value: float) -> Case:
    return Case(
        f"pig-race to {target}",
        ("pig-race", f"target={target}"),
        "pig-race.prism",
        f"target={target}",
        'Pmax=? [F "won"]',
        value,
        seats=(os.path.join(MODELS, "pig-race-seats.tree"), f"target={target}"),
        stochastic_game="pig-race-game.prism",
    )


def bandit(pulls: int, value: float) -> Case:
    return Case(
        f"bandit, {pulls} pulls",
        ("bandit", f"pulls={pulls}"),
        "bandit.prism",
        f"N={pulls}",
        'R{"paid"}max=? [F "over"]',
        value,
    )


HOG = Case(
    "hog to 100, up to 10 dice",
    ("hog", "goal=100", "most=10"),
    "hog.prism",  # written for the run
    "goal=100",
    'Pmax=? [F "won"]',
    0.5343595236615175,
    seats=("hog", "goal=100", "most=10"),
)

CASES = (
    push(10_000),
    push(100_000),
    push(1_000_000),
    pig_race(100, 0.5338613876961487),
    pig_race(200, 0.524060823337483),
    bandit(50, 31.996711881672084),
    bandit(75, 48.43155205292733),
    bandit(100, 64.91842065102297),
    HOG,
)


def hog_model(most: int) -> str:
    """The bundled game "hog" for Storm: each number of dice with the odds of its scores.

    The players change places with every turn, and both help the first, as in
    `pig-race.prism`.
    """
    lines = [
        "mdp",
        "const int goal;",
        "module hog",
        "  who : [1..2] init 1;",
        "  me : [0..goal] init 0;",
        "  you : [0..goal] init 0;",
    ]
    for dice in range(1, most + 1):
        outcomes = "\n    + ".join(
            f"{odds} : (who' = 3 - who) & (me' = you) & (you' = min(me + {score}, goal))"
            for score, odds in scores(dice).items()
        )
        lines.append(f"  [] you < goal ->\n      {outcomes};")
    lines += ["endmodule", 'label "won" = who = 2 & you >= goal;', ""]
    return "\n".join(lines)


def scores(dice: int) -> dict[int, Fraction]:
    """What so many dice score, and how likely it is."""
    ways = {0: 1}
    for _ in range(dice):
        more: dict[int, int] = {}
        for score, count in ways.items():
            for face in range(2, 7):
                more[score + face] = more.get(score + face, 0) + count
        ways = more
    ways[1] = 6**dice - 5**dice
    return {score: Fraction(count, 6**dice) for score, count in sorted(ways.items())}


LARGE = ("pig-race", "target=280")  # 1.08 * 10**8 edges


def dice_a_play(target: int = 21, faces: int = 10) -> float:
    """How many dice a play of "Push to 21" throws on average, played best: until 14."""
    dice = [0.0] * (target + faces + 1)
    for sum_ in range(13, -1, -1):
        dice[sum_] = 1 + sum(dice[sum_ + 1 : sum_ + faces + 1]) / faces
    return dice[0]


DICE_A_PLAY = dice_a_play()
