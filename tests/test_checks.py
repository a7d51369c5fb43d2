"""What is checked before any state is visited, and what a policy is compared with."""

import time
from fractions import Fraction

import pytest
from gametree.compiler.unfold import Limits
from gametree.evaluator.game import Game
from gametree.render.answer import answer_json, answer_text
from gametree.spec.diagnostics import Code, SpecError
from gametree.spec.reader import bundled, read_bytes, read_path


def game_of(text: str, notation: str = "yaml") -> Game:
    """The game in a text."""
    reading = read_bytes("test", text.encode(), notation)
    assert reading.document is not None, reading.diagnostics
    return Game.from_document(reading.document, {}, reading.diagnostics)


def problems(text: str, notation: str = "yaml"):
    """What is found in a text without visiting a state: code, message, help."""
    reading = read_bytes("test", text.encode(), notation)
    found = list(reading.diagnostics)
    if reading.document is not None:
        try:
            found += Game.from_document(reading.document, {}, found).warnings
        except SpecError as error:
            found += error.diagnostics
    return [(d.code.value, d.message, d.help) for d in found]


def codes(text: str, notation: str = "yaml") -> list[str]:
    """The codes alone."""
    return [code for code, _, _ in problems(text, notation)]


def test_a_parameter_that_feeds_a_used_one_is_used():
    """What only feeds an unused one is not."""
    used = "game: g\nparams: {ticket: 30, fee: ticket / 2}\nroot: {max: [fee, 1]}\n"

    assert codes(used) == []
    assert codes(used.replace("[fee, 1]", "[2, 1]")) == ["GT601", "GT601"]


def test_looking_at_the_text_is_quick_whatever_it_asks_for():
    """A sum of 10^8 terms is left to the states, and a parameter that needs one is refused."""
    sums = "sum(a * b for a in 1..10_000 for b in 1..10_000)"
    start = time.process_time()

    assert codes(f'game "g"\ndefine big = {sums}\nroot max {{ a: big, b: {sums} }}', "text") == []
    assert codes(f'game "g"\nparam big = {sums}\nroot max {{ a: big }}', "text") == ["GT502"]
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    ("bounds", "code"),
    [("[low, 3]", "GT210"), ("[4, 3]", "GT203"), ("[1 < 2, 3]", "GT213"), ("[0, 1 + 1]", None)],
)
def test_bounds_are_two_numbers_in_order(bounds, code):
    """Names are known, types fit, and the lowest payoff stands first."""
    assert codes(f"game: g\nbounds: {bounds}\nroot: {{max: [1, 2]}}\n") == ([code] if code else [])


@pytest.mark.parametrize(
    ("expected", "code", "help_"),
    [
        ("play: {min: radnom}", "GT218", "random"),
        ("play: {max: softmax}", "GT218", "softmax:0.1"),
        ('play: {max: "mistake:3"}', "GT218", None),
        ("play: {max: cautiuos}", "GT218", "cautious"),
        ("best: hitt", "GT217", "hit"),
        ("branches: {sand: 1}", "GT217", "stand"),
        ("at: turn(3), best: go", "GT217", "no"),
        ("size: {nodes: 1/0}", "GT403", None),
    ],
)
def test_an_expectation_asks_for_what_there_is(expected, code, help_):
    """A wrong behaviour or branch is a mistake of the file: `validate` finds it, too."""
    text = (
        "game: g\nnodes: {turn(n): {max: {no: n, yes: 1}}}\n"
        "root: {cost: 1, max: {hit: turn(3), stand: 2}}\n"
        "policies: {cautious: {root: '\"stand\"'}}\n"
        f"expect: {{value: 2, {expected}}}\n"
    )
    [(found, _, help_found)] = problems(text)

    assert found == code
    assert help_ is None or help_ in str(help_found)


def test_odds_of_a_policy_sum_to_one_whatever_they_are_odds_of():
    """The sum is reported beside the label that is not there."""
    text = "game: g\nroot: {max: {a: 1, b: 2}}\npolicies: {p: {root: {a: 1/2, c: 1/3}}}\n"

    assert sorted(codes(text)) == ["GT217", "GT301"]


def test_a_policy_is_followed_to_every_state_it_speaks_of():
    """A label that is missing in one state only is found when the states are visited."""
    text = (
        'game "g"\nnode t(n) = max { for i in 0..n: i\n stay: 3 }\n'
        'root max { a: t(1), b: t(2) }\npolicy "p" { t(n): "2" }\n'
    )
    [found] = game_of(text, "text").check_states(Limits())

    assert found.code is Code.UNKNOWN_BRANCH
    assert found.notes[0].message == "in the state t(1)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("game: g\nparams: {fee: 1}\nroot: {max: [fe, 2]}\n", ["GT210"]),
        ('game: g\nnodes: {"t(n: 0..": {max: [1, 2]}}\nroot: t(3)\n', ["GT108"]),
        ("game: g\nroot:\n  chance:\n    a: {<<: {p: 1/2}, then: 1}\n    b: {p: 1/2, then: 2}\n", ["GT105"]),
        ("game: g\nroot: {max: {a: !mine [1, 2], b: !your }}\n", ["GT105", "GT105"]),
        ("game: g\nroot: {left: 1, right: 2}\n", ["GT204"]),
        ("game: g\nnodes: {c: {chance: [0, 1]}}\nroot: {max: [c * c, 1]}\n", ["GT214"]),
    ],
)  # fmt: skip
def test_one_mistake_is_reported_once(text, expected):
    """What only follows from a mistake is left out."""
    assert codes(text) == expected


@pytest.mark.parametrize("numbers", ["exact", "float"])
def test_a_policy_is_compared_with_the_optimum(numbers):
    """What it loses, and the states where it takes a worse branch; ties are no difference."""
    document = read_path(bundled("push-to-21") or "").document
    assert document is not None
    answer = Game.from_document(document).evaluate(policy="hit until 17", numbers=numbers)
    compared = answer.policy
    assert compared is not None

    assert compared.differs == ("turn(14)", "turn(15)", "turn(16)")
    assert float(compared.loss) == pytest.approx(2.141094631)
    assert answer_json(answer)["policy"] == {
        "name": "hit until 17",
        "optimum": str(compared.optimum),
        "optimum_float": pytest.approx(15.858513234),
        "loss": str(compared.loss),
        "loss_float": pytest.approx(2.141094631),
        "differs": ["turn(14)", "turn(15)", "turn(16)"],
        "differs_count": 3,
    }
    told = answer_text(answer)
    assert 'policy "hit until 17": 13.717' in told
    assert "below the optimum 15.858" in told
    assert "chooses differently at turn(14), turn(15), turn(16)" in told


def test_a_policy_that_plays_the_optimum_loses_nothing():
    """It may choose any of the tied branches."""
    text = "game: g\nroot: {max: {a: 2, b: 2, c: 1}}\npolicies: {p: {root: '\"b\"'}}\n"
    answer = game_of(text).evaluate(policy="p")

    assert answer.policy is not None
    assert answer.policy.loss == Fraction(0)
    assert answer.policy.differs == ()
    assert 'policy "p": 2, the optimum' in answer_text(answer)


def test_only_ten_states_are_named():
    """The rest are counted."""
    text = (
        'game "g"\nnode t(n: 0..12) = max { up: if n == 12 then 0 else t(n + 1), stop: 12 - n }\n'
        'root t(0)\npolicy "p" { t(n): "up" }\n'
    )
    told = answer_text(game_of(text, "text").evaluate(policy="p"))

    assert "t(9) and 2 more" in told
