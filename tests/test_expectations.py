"""Expectations: every key, those that hold and what those that fail say."""

from __future__ import annotations

import pytest
from gametree.evaluator.game import Game
from gametree.spec.diagnostics import Code, SpecError
from gametree.spec.reader import read_bytes

GAME = """\
game: x
params: {top: 3, xs: [1, 2]}
nodes:
  "turn(n: 0..top)":
    if: n == top
    then: sum(xs)
    else: {max: {stop: n, go: turn(n + 1), flip: {chance: [n, 4]}}}
root: turn(0)
policies:
  stop: {turn(n): '"stop"'}
expect:
"""


def run(*entries):
    text = GAME + "".join(f"  - {entry}\n" for entry in entries)
    reading = read_bytes("x.yaml", text.encode(), "yaml")
    assert reading.document is not None, reading.diagnostics
    return Game.from_document(reading.document).expectations()


@pytest.mark.parametrize(
    "entry",
    [
        "{value: 3}",
        "{value: 6 / 2, best: go}",
        "{value: 2.9, within: 0.1}",
        "{value: 3.05, within: 1/10, branches: {stop: 0, go: 3, flip: 2.1}}",
        "{best: go, branches: {stop: 0}}",
        "{best: [go]}",
        "{value: 3, at: turn(2), best: [go, flip]}",
        "{value: 3, at: turn(top - 1), best: [flip, go]}",
        "{value: 0, policy: stop, best: stop}",
        "{value: 2, at: turn(2), policy: stop}",
        "{value: 3, algorithm: minimax, best: go}",
        "{value: 4, play: {chance: optimal}}",
        "{value: 3, play: {max: softmax:1/1000}, within: 0.01}",
        "{value: 0, play: {max: stop}}",
        "{value: 7, params: {xs: [3, 4]}}",
        "{value: 3, params: {top: 1 + 1}, size: {nodes: 11, terminals: 7}}",
        "{value: top}",
        "{value: 3, size: {depth: 4}}",
        "{value: 3, note: as it should be}",
    ],
)
def test_an_expectation_holds(entry):
    [found] = run(entry)

    assert found.ok, found.diagnostic
    assert found.diagnostic is None


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{value: 4}", "the value is 3, not 4"),
        ("{value: 3.2, within: 0.1}", "the value is 3, not 3.2 within 0.1"),
        ("{best: stop}", 'the best branch is "go", not "stop"'),
        ("{at: turn(2), best: go}", 'the best branches are "go", "flip", not "go"'),
        ("{best: fly}", 'the root has no branch "fly"'),
        ("{branches: {stop: 1}}", 'the branch "stop" is 0, not 1'),
        ("{branches: {halt: 1}}", 'the root has no branch "halt"'),
        ("{size: {nodes: 3}}", "nodes, not 3"),
        ("{value: 1, policy: stop}", "the value is 0, not 1"),
        ("{best: go, play: {max: random}}", "nothing is chosen at the root"),
    ],
)
def test_a_failing_expectation_says_what_came_out(entry, message):
    [found] = run(entry)

    assert not found.ok
    assert found.diagnostic.code is Code.EXPECTATION
    assert message in found.diagnostic.message
    assert found.diagnostic.place.line == 12


def test_one_entry_tells_all_that_it_got_wrong():
    [found] = run("{value: 4, best: stop, branches: {stop: 0, flip: 9}}")

    assert found.diagnostic.message == "the value is 3, not 4"
    assert [note.message for note in found.diagnostic.notes] == [
        'the best branch is "go", not "stop"',
        'the branch "flip" is 2, not 9',
    ]


def test_a_failing_entry_does_not_stop_the_next():
    found = run("{value: 4}", "{value: 3}", "{value: 3, at: turn(9)}", "{value: 3, best: go}")

    assert [entry.ok for entry in found] == [False, True, False, True]
    assert found[2].diagnostic.code is Code.STATE_RANGE


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ("{value: 1, policy: stp}", Code.UNKNOWN_NAME),
        ("{value: 1, at: trn(1)}", Code.UNKNOWN_NAME),
        ("{value: 1, at: turn(1, 2)}", Code.ARGUMENT_COUNT),
        ("{value: 1, at: 3 + 4}", Code.UNKNOWN_NAME),
        ("{value: unknown}", Code.UNKNOWN_NAME),
        ("{value: 1 / 0}", Code.DIVISION_BY_ZERO),
        ("{value: 1, within: ten}", Code.UNKNOWN_NAME),
        ("{value: 1, params: {tp: 3}}", Code.UNKNOWN_NAME),
        ("{value: 1, algorithm: minimx}", Code.UNKNOWN_CHOICE),
        ("{value: 1, play: {max: optimum}}", Code.UNKNOWN_CHOICE),
        ("{vlaue: 1}", Code.UNKNOWN_KEY),
        ("{branches: {stop: x}}", Code.UNKNOWN_NAME),
        ("{value: .inf}", Code.NOT_FINITE),
    ],
)
def test_an_expectation_that_makes_no_sense_is_found_without_playing(entry, code):
    with pytest.raises(SpecError) as caught:
        run(entry)

    assert code in [found.code for found in caught.value.diagnostics]


def test_a_float_is_compared_within_its_own_bound():
    text = b"game: x\nroot: sqrt(2) * sqrt(2)\nexpect: {value: 2}\n"
    [found] = Game.from_document(read_bytes("x.yaml", text, "yaml").document).expectations()

    assert found.ok or "not 2" in found.diagnostic.message


def test_a_single_entry_needs_no_list():
    text = b"game: x\nroot: 2\nexpect: {value: 2}\n"

    assert [
        e.ok for e in Game.from_document(read_bytes("x.yaml", text, "yaml").document).expectations()
    ] == [True]
