"""How each kind of node chooses: algorithms, and what ``--play`` changes in them.

An algorithm is a preset of behaviours for MAX, MIN and CHANCE nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from ..compiler.dag import Kind
from ..spec.diagnostics import UsageError
from ..spec.numbers import read_number
from ..spec.suggest import did_you_mean


class Rule(Enum):
    """What decides at a node."""

    HIGHEST = "highest"  # the branch of the largest value
    LOWEST = "lowest"
    UNIFORM = "uniform"  # the plain average of the branches
    EXPECTED = "expected"  # the average by the odds; chance nodes only
    MISTAKE = "mistake"  # the best with probability 1 - amount, else uniform
    SOFTMAX = "softmax"  # branch i in proportion to exp(±value / amount)
    POLICY = "policy"  # by a policy of the file; where it is silent, the best


@dataclass(frozen=True, slots=True)
class Play:
    """The behaviour of one kind of node; ``up`` says whether its best is the highest value."""

    rule: Rule
    up: bool = True
    amount: Fraction = Fraction(0)
    policy: str = ""

    @property
    def approximate(self) -> bool:
        """Whether it takes floats."""
        return self.rule is Rule.SOFTMAX


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How MAX, MIN and CHANCE nodes choose; ``name`` is the algorithm it began with."""

    name: str
    max: Play = Play(Rule.HIGHEST)
    min: Play = Play(Rule.LOWEST, up=False)
    chance: Play = Play(Rule.EXPECTED)

    def of(self, kind: int) -> Play:
        """The behaviour of a choice or chance node of ``kind``."""
        return (self.max, self.max, self.min, self.chance)[kind]

    @property
    def approximate(self) -> bool:
        """Whether it takes floats."""
        return any(play.approximate for play in (self.max, self.min, self.chance))

    def policies(self) -> list[str]:
        """The policies it asks for, by name."""
        plays = (self.max, self.min, self.chance)
        return [play.policy for play in plays if play.rule is Rule.POLICY]


EXPECTIMINIMAX = Behaviour("expectiminimax")
MINIMAX = Behaviour("minimax", chance=Play(Rule.LOWEST, up=False))
EXPECTIMAX = Behaviour("expectimax", min=Play(Rule.UNIFORM, up=False))

ALGORITHMS: dict[str, Behaviour] = {b.name: b for b in (EXPECTIMINIMAX, MINIMAX, EXPECTIMAX)}
KINDS = {"max": Kind.MAX, "min": Kind.MIN, "chance": Kind.CHANCE}
LARGEST = 10**300  # the T of a softmax: beyond it floats end
WORDS = ("optimal", "worst", "random", "expected", "softmax:T", "mistake:E")


def algorithm(name: str) -> Behaviour:
    """The preset of that name.

    Raises:
        UsageError: If there is none.
    """
    if name in ALGORITHMS:
        return ALGORITHMS[name]
    from .search.run import ALGORITHMS as SEARCHES

    known = f"the algorithms are {', '.join(ALGORITHMS)}"
    if name in SEARCHES:
        raise UsageError(
            f"`{name}` is a search, for `gametree search`; most of them can be watched with "
            f"`gametree trace` and `gametree dot --trace K`; here {known}"
        )
    raise UsageError(f"unknown algorithm `{name}`; {did_you_mean(name, ALGORITHMS) or known}")


def parse_play(texts: Iterable[str]) -> dict[str, str]:
    """``["min=random"]`` as ``{"min": "random"}``.

    Raises:
        UsageError: If a text is not KIND=BEHAVIOUR, or a kind is named twice.
    """
    plays: dict[str, str] = {}
    for text in texts:
        kind, equals, behaviour = text.partition("=")
        kind = kind.strip()
        if not equals:
            raise UsageError(f"`{text}` is not KIND=BEHAVIOUR, such as min=random")
        if kind in plays:
            raise UsageError(f"the play of {kind} is given twice")
        plays[kind] = behaviour.strip()
    return plays


def with_play(
    behaviour: Behaviour, plays: Mapping[str, str], policies: Iterable[str] = ()
) -> Behaviour:
    """``behaviour`` with the play of some kinds of node replaced.

    Args:
        behaviour: An algorithm.
        plays: By kind (``max``, ``min``, ``chance``): ``optimal``, ``worst``, ``random``,
            ``expected``, ``softmax:T``, ``mistake:E``, or the name of a policy.
        policies: The names of the game's policies.

    Raises:
        UsageError: If a kind or behaviour is unknown, T is not above 0 or E not in [0, 1].
    """
    for kind, text in plays.items():
        if kind not in KINDS:
            hint = did_you_mean(kind, KINDS) or "the kinds are max, min and chance"
            raise UsageError(f"unknown kind of node `{kind}`; {hint}")
        play = parse_behaviour(kind, text, list(policies))
        behaviour = replace(behaviour, **{kind: play})
    return behaviour


def parse_behaviour(kind: str, text: str, policies: list[str]) -> Play:
    """One behaviour of one kind of node."""
    up = kind != "min"
    word, colon, amount = text.partition(":")
    if text in policies and kind != "chance":
        return Play(Rule.POLICY, up, policy=text)
    if colon and word in {"softmax", "mistake"}:
        return _with_amount(kind, word, amount, up=up)
    if word == "expected" and kind == "chance" and not colon:
        return Play(Rule.EXPECTED)
    rules = {
        "optimal": Rule.HIGHEST if up else Rule.LOWEST,
        "worst": Rule.LOWEST if up else Rule.HIGHEST,
        "random": Rule.UNIFORM,
    }
    if text in rules:
        return Play(rules[text], up)
    if kind == "chance":
        known = list(WORDS)
    else:
        known = [word for word in WORDS if word != "expected"] + policies
    hint = did_you_mean(text, [word.split(":")[0] for word in known])
    if word in {"softmax", "mistake"}:
        hint = f"write `{word}:0.1`, or another number"
    hint = hint or f"the behaviours are {', '.join(known)}"
    raise UsageError(f"unknown behaviour `{text}` for {kind}", hint)


def _with_amount(kind: str, word: str, text: str, *, up: bool) -> Play:
    amount = read_number(text)
    if amount is None:
        raise UsageError(f"`{text}` in `{kind}={word}:{text}` is not a number")
    if word == "softmax" and amount <= 0:
        raise UsageError(f"the T of softmax:T must be above 0, and it is {text}")
    if word == "softmax" and not Fraction(1, LARGEST) <= amount <= LARGEST:
        raise UsageError(f"the T of softmax:T must lie between 1e-300 and 1e300, and it is {text}")
    if word == "mistake" and not 0 <= amount <= 1:
        raise UsageError(f"the E of mistake:E must lie between 0 and 1, and it is {text}")
    return Play(Rule.SOFTMAX if word == "softmax" else Rule.MISTAKE, up, amount)
