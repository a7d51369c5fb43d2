"""A trace in words: text for a terminal, JSON for programs; both a line at a time.

Holds   JSON has every label whole and every value exact; the text cuts long ones. A trace that
        stops before its end says how many steps are left out: the text in its last line, JSON
        as ``left_out``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import islice

from ..evaluator.behaviour import Rule
from ..evaluator.solution import Value
from ..evaluator.trace import Event, Step, Steps
from .numbers import exact_text, step_text
from .paint import Paint, Style
from .width import safe, short_label

_LABEL = 32  # columns of a label in text
_NAMED = 6  # best branches that are named
_DEEPEST = 20  # levels that are shown by indentation; deeper ones as a number
_NOUNS = {"max": "branch", "min": "branch", "chance": "outcome", "sum": "term"}
_KINDS = {"max": "MAX", "min": "MIN", "chance": "chance", "sum": "sum", "terminal": "payoff"}
_STYLES: dict[Event, Style] = {
    "enter": "note",
    "shared": "dim",
    "cut": "warning",
    "done": "help",
}

_RULES = {
    Rule.HIGHEST: "takes the largest value",
    Rule.LOWEST: "takes the smallest value",
    Rule.EXPECTED: "takes the sum of p × value",
    Rule.UNIFORM: "takes the average",
    Rule.POLICY: "follows the policy",
}
_NUMBER = re.compile(r"-?[0-9][0-9.]*(/[0-9]+)?")

Name = Callable[[str], str]  # a label as it is to be shown


def left_out_text(left: int) -> str:
    """What to do about so many steps that a trace leaves out."""
    more = f"{left:,} more step{'' if left == 1 else 's'}"
    return (
        f"{more}: raise --max-steps, start further down with --at, or make the game smaller "
        "with --set"
    )


# --- text ------------------------------------------------------------------------------------


def trace_text(trace: Steps, most: int, *, colour: bool = False) -> Iterator[str]:
    """The lines of a trace, of its first ``most`` steps: what a person reads."""
    paint, total = Paint(colour), len(trace)
    columns = len(f"{min(most, total):,}")
    yield f"{paint('bold', safe(trace.game))}, {safe(trace.algorithm)}"
    yield ""
    for number, step in enumerate(islice(trace, most), 1):
        event = (
            paint(_STYLES[step.event], f"{step.event:<8}")
            if step.event in _STYLES
            else (f"{step.event:<8}")
        )
        yield f"{paint('dim', f'{number:>{columns},}')}  {event}  {_indented(step)}"
    if total > most:
        yield ""
        yield f"… {left_out_text(total - most)}"


def _indented(step: Step) -> str:
    depth = len(step.path)
    deep = f"[{depth:,}] " if depth > _DEEPEST else ""
    return "  " * min(depth, _DEEPEST) + deep + message(step, _short)


def _short(label: str) -> str:
    return short_label(label, _LABEL)


# --- JSON ------------------------------------------------------------------------------------


def trace_json(trace: Steps, most: int) -> Iterator[str]:
    """The lines of a JSON object with the first ``most`` steps; its keys are a contract."""
    total = len(trace)
    yield "{"
    yield f'  "game": {json.dumps(trace.game)},'
    yield f'  "algorithm": {json.dumps(trace.algorithm)},'
    yield f'  "value": {json.dumps(exact_text(trace.value))},'
    yield '  "steps": ['
    last = min(most, total)
    for number, step in enumerate(islice(trace, most), 1):
        yield f"    {json.dumps(step_json(step))}{',' if number < last else ''}"
    if total > most:
        yield "  ],"
        yield f'  "left_out": {total - most}'
    else:
        yield "  ]"
    yield "}"


def step_json(step: Step) -> dict[str, object]:
    """A step as the trace's JSON has it."""
    return {
        "event": step.event,
        "path": list(step.path),
        "kind": step.kind,
        "child": step.child,
        "value": None if step.value is None else exact_text(step.value),
        "running": None if step.running is None else exact_text(step.running),
        "message": message(step),
    }


# --- words -----------------------------------------------------------------------------------


def _whole(label: str) -> str:
    return label or '""'


def message(step: Step, name: Name = _whole) -> str:
    """What happens in a step, in plain words; ``name`` makes labels short."""
    return _MESSAGES[step.event](step, name)


def _entered(step: Step, name: Name) -> str:
    count = step.branches
    noun = _NOUNS[step.kind] + ("" if count == 1 else "es" if step.kind in {"max", "min"} else "s")
    what = f"{_title(step, name)}: {_KINDS[step.kind]}, {count:,} {noun}"
    return f"{what}; {_rule(step)}{_own(step)}{_remark(step)}"


def _rule(step: Step) -> str:
    """What decides at the node."""
    play = step.play
    if play is None:
        return "takes the sum of factor × value"
    best = "takes the largest value" if play.up else "takes the smallest value"
    if play.rule is Rule.MISTAKE:
        return f"{best}, but with p = {step_text(play.amount)} the average"
    if play.rule is Rule.SOFTMAX:
        sign = "" if play.up else "-"
        return f"takes the average in proportion to exp({sign}value / {step_text(play.amount)})"
    return _RULES[play.rule]


def _own(step: Step) -> str:
    """What the node itself adds, in words."""
    if not step.offset:
        return ""
    if step.offset < 0:
        return f", less {step_text(-step.offset)}"
    return f", plus {step_text(step.offset)}"


def _examined(step: Step, name: Name) -> str:
    return f"{_title(step, name)}: payoff {_number(step.value)}"


def _known(step: Step, name: Name) -> str:
    return f"{_title(step, name)}: visited before, worth {_value(step)}"


def _returned(step: Step, name: Name) -> str:
    said = f"{_child(step, step.child, name)} returns {_value(step)}"
    play = step.play
    if step.value is None and step.running == step.before:
        return said
    if step.factor is not None and step.value is not None:
        return said + _product(step)
    if play is None or step.running is None:
        return said
    running = _number(step.running)
    if play.rule is Rule.UNIFORM:
        return f"{said}; the average so far is {running}"
    if play.rule is Rule.MISTAKE:
        return f"{said}; with mistakes that makes {running} so far"
    if play.rule is Rule.SOFTMAX:
        return f"{said}; the weighted average so far is {running}"
    return said + _best(step, play.rule is Rule.HIGHEST)


def _best(step: Step, up: bool) -> str:
    best = f"the {'largest' if up else 'smallest'} so far"
    if step.before is None or step.running != step.before:
        return f", {best}"
    if step.value == step.before:
        return f", equal to {best}"
    return f"; {best} stays {_number(step.running)}"


def _product(step: Step) -> str:
    """``: 1 + 1/3 × 12 = 5``."""
    factor, by_policy = step.factor or 0, step.play is not None and step.play.rule is Rule.POLICY
    if by_policy and factor == 0:
        return "; the policy does not take it"
    if by_policy and factor == 1:
        return "; the policy takes it"
    value = _operand(step.value)
    part = value if factor == 1 and step.kind == "sum" else f"{_operand(factor)} × {value}"
    if step.before is not None:
        part = f"{_number(step.before)} + {part}"
    elif part == value:
        return ""
    return f": {part} = {_number(step.running)}"


def _cut(step: Step, name: Name) -> str:
    others = f" and {step.left - 1:,} more" if step.left > 1 else ""
    return f"{_child(step, step.child, name)}{others} left out: {_reason(step)}{_remark(step)}"


def _reason(step: Step) -> str:
    """Why branches are left out."""
    chooses = step.play is not None and step.play.rule in {Rule.HIGHEST, Rule.LOWEST}
    if not chooses or step.running is None:
        return "whatever there is, it changes nothing further up"
    if step.bound is None:
        return f"nothing can be better than {_number(step.running)}"
    side = "least" if step.play is not None and step.play.rule is Rule.HIGHEST else "most"
    return f"here it is {_number(step.running)} at {side}, elsewhere {_number(step.bound)} already"


def _remark(step: Step) -> str:
    return f" ({step.remark})" if step.remark else ""


def _done(step: Step, name: Name) -> str:
    said = f"{_title(step, name)} is worth "
    if step.offset and step.running is not None and step.value is not None:
        sign, own = ("-", -step.offset) if step.offset < 0 else ("+", step.offset)
        said += f"{_number(step.running)} {sign} {step_text(own)} = "
    said += _value(step)
    if not step.chosen:
        return said
    best = " or ".join(_child(step, label, name) for label in step.chosen[:_NAMED])
    more = len(step.chosen) - _NAMED
    best += f" or {more:,} more" if more > 0 else ""
    mixed = step.play is not None and step.play.rule is Rule.MISTAKE
    return f"{said}; best is {best}" if mixed else f"{said}, by {best}"


def _title(step: Step, name: Name) -> str:
    """The label that leads to the node, and the node's own name."""
    label = _branch(step.path[-1], step.above, name) if step.path else "root"
    return f"{label}, {name(step.title)}" if step.title else label


def _child(step: Step, label: str | None, name: Name) -> str:
    return _branch(label or "", step.kind, name)


def _branch(label: str, kind: str, name: Name) -> str:
    """A label of a node of ``kind``; beside a number's, ``branch`` or ``outcome`` stands."""
    return f"{_NOUNS[kind]} {name(label)}" if _NUMBER.fullmatch(label) else name(label)


def _value(step: Step) -> str:
    """A value, or what is known of it."""
    if step.value is not None or step.between is None:
        return _number(step.value)
    low, high = step.between
    if low is None and high is None:
        return "anything"
    if high is None:
        return f"at least {_number(low)}"
    if low is None:
        return f"at most {_number(high)}"
    return f"between {_number(low)} and {_number(high)}"


def _number(value: Value | None) -> str:
    return "nothing" if value is None else step_text(value)


def _operand(value: Value | int | None) -> str:
    """A number behind a sign, in brackets where it has one of its own."""
    text = "nothing" if value is None else step_text(value)
    return f"({text})" if text.startswith("-") else text


_MESSAGES: dict[Event, Callable[[Step, Name], str]] = {
    "enter": _entered,
    "terminal": _examined,
    "shared": _known,
    "return": _returned,
    "cut": _cut,
    "done": _done,
}
