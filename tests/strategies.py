"""Random documents for hypothesis.

``documents()`` gives plain data of valid documents with everything the language has; names in
it are declared and calls have the right number of arguments, but nothing promises that play
makes sense. ``games()`` gives small explicit trees with exact numbers: they evaluate.
``with_comments`` puts comments into a written text.
"""

from __future__ import annotations

import unicodedata
from typing import Any

from hypothesis import strategies as st

# Labels and texts that some notation could take for something else.
ODD_TEXTS = [
    "no", "on", "off", "yes", "y", "n", "null", "~", "true", "False", "1:30", "010", "1", "0", "-1",
    "1.0", "1.5", "1e3", "1_000", "0x1F", "0o7", ".5", ".inf", "nan", "2024-01-01", "<<", "=", "",
    " ", " lead", "trail ", "a: b", "a:", ": b", "a #b", "#", "# c", "- a", "-", "--", "---", "...",
    "? x", "?", "?x", "a?b", "a:b", "[x]", "{x}", "x, y", "x]", "&a", "*a", "!t", "|", ">", "'", "''", '"',
    'say "hi"', "it's", "back\\slash", "%d", "@x", "`q`", "two\nlines", "tab\there", "a\n\nb", "end\n",
    "\n", "\r\n", "é", "größe", "日本", "שלום", "مرحبا", "😀", "👩‍👩‍👧", "\u2028", "\x85", "\x07",
    "for", "form a", "if", "then", "else", "let", "in", "and", "max", "chance", "label", "cost", "rest", "p",
    "weight", "root", "node", "game", "note", "as", "expect", "1-2", "a b", "x" * 300, "{x} of {y}",
    "turn(total)", "1/3", "2d6", "${x}", "a=b", "<b>&amp;", "\\n", "$schema",
]  # fmt: skip
_WILD = st.text(
    st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"], exclude_characters="\xa0\u202f\u3000"),
    max_size=12,
).map(lambda text: unicodedata.normalize("NFC", text))  # fmt: skip
_WORDS = st.sampled_from("hit stand A B C left right 1 2 3 fold draw_two Öl".split())

texts = st.one_of(_WORDS, st.sampled_from(ODD_TEXTS), _WILD)
labels = texts.filter(lambda text: not text.startswith("for "))
names = st.sampled_from(
    ["a", "b", "fee", "total", "größe", "n", "x1", "cost", "label", "legal fees", "no"]
)
numbers = st.one_of(
    st.integers(-30, 30).map(str),
    st.sampled_from(["1/3", "2/7", "25%", "0.5", "1e-3", "1_000", "-2.5", "3.0"]),
)

_LOOPS = [
    "for d in 1..6",
    "for d in 1..6 if d > 2",
    'for d in 2d6 as "roll {d}"',
    "for d in [1, 2]",
]
_KINDS = ("max", "min", "chance")


def _name(name: str) -> str:
    return name if name.isidentifier() else f"`{name}`"


@st.composite
def expressions(draw: st.DrawFn, scope: tuple[str, ...] = (), depth: int = 2) -> str:
    """An expression over ``scope``, in spacing that is not always canonical."""
    known = [_name(name) for name in scope]
    if depth == 0 or draw(st.booleans()):
        return draw(st.one_of(numbers, st.sampled_from(known)) if known else numbers)
    left = draw(expressions(scope, depth - 1))
    right = draw(expressions(scope, depth - 1))
    shape = draw(
        st.sampled_from(
            [
                "{} + {}", "{}*{}", "({} - {})", "abs({})", "if {} < {} then 1 else 0", "max({},{})",
                "[{}, {}][0]", "sum(i*{} for i in 1..3)", "let q = {} in q + {}", "-({})",
            ]
        )
    )  # fmt: skip
    return shape.format(f"({left})", f"({right})")


def _odds(draw: st.DrawFn, count: int) -> list[dict[str, Any]]:
    """Odds for the outcomes of a chance node: none, equal, the last one ``rest``, or weights."""
    shape = draw(st.sampled_from(["none", "p", "rest", "weight"]))
    if shape == "none":
        return [{} for _ in range(count)]
    if shape == "weight":
        return [{"weight": str(draw(st.integers(1, 9)))} for _ in range(count)]
    odds = [{"p": f"1/{count}"} for _ in range(count)]
    if shape == "rest":
        odds[-1] = {"p": "rest"}
    return odds


@st.composite
def nodes(draw: st.DrawFn, scope: tuple[str, ...] = (), depth: int = 3) -> Any:
    """A node."""
    shapes = ["leaf", "leaf"] + (["block", "block", "if", "then", "let", "expr"] if depth else [])
    shape = draw(st.sampled_from(shapes))
    if shape == "leaf":
        return draw(numbers)
    if shape == "expr":
        return draw(expressions(scope))
    said: dict[str, Any] = {}
    for key in ("label", "note"):
        if draw(st.integers(0, 5)) == 0:
            said[key] = draw(texts)
    for key in ("cost", "reward"):
        if draw(st.integers(0, 5)) == 0:
            said[key] = draw(expressions(scope, 1))
    if shape == "let":
        said["let"] = {draw(names): draw(expressions(scope))}
        scope = (*scope, *said["let"])
        shape = draw(st.sampled_from(["then", "block"]))
    if shape == "then":
        inner = draw(nodes(scope, depth - 1))
        return {**said, "then": inner}
    if shape == "if":
        yes, no = draw(nodes(scope, depth - 1)), draw(nodes(scope, depth - 1))
        return {**said, "if": f"{draw(expressions(scope, 1))} < 3", "then": yes, "else": no}
    return {**said, **draw(blocks(scope, depth - 1))}


@st.composite
def named_nodes(draw: st.DrawFn, scope: tuple[str, ...]) -> Any:
    """A node that may say what its states are worth."""
    node = draw(nodes(scope))
    if isinstance(node, dict) and draw(st.booleans()):
        return {"heuristic": draw(expressions(scope)), **node}
    return node


@st.composite
def blocks(draw: st.DrawFn, scope: tuple[str, ...], depth: int) -> dict[str, Any]:
    """``{max: …}``, ``{min: …}`` or ``{chance: …}``."""
    kind = draw(st.sampled_from(_KINDS))
    found = draw(st.lists(nodes(scope, depth), min_size=1, max_size=4))
    if kind == "chance":
        outcomes = zip(_odds(draw, len(found)), found, strict=True)
        found = [_outcome(odds, node) for odds, node in outcomes]
    found = [_perhaps(draw, scope, node) for node in found]
    loop = draw(st.sampled_from([None, None, *_LOOPS]))
    body = draw(nodes((*scope, "d"), depth)) if loop else None
    if loop and draw(st.integers(0, 3)) == 0:
        body = {"for e in 1..2 if e < 2": body}
    if draw(st.booleans()):
        return {kind: [*found, {loop: body}] if loop else found}
    keys = draw(st.lists(labels, min_size=len(found), max_size=len(found), unique=True))
    branches = dict(zip(keys, found, strict=True))
    return {kind: {**branches, loop: body} if loop else branches}


def _perhaps(draw: st.DrawFn, scope: tuple[str, ...], node: Any) -> Any:
    """``node`` as a branch, which now and then is there only under a condition."""
    if draw(st.integers(0, 4)):
        return node
    truth = draw(st.sampled_from(["{} < 3", "not ({} in 1..2)", "if {}==1 then true else false"]))
    condition = {"when": truth.format(draw(expressions(scope, 1)))}
    return {**condition, **node} if isinstance(node, dict) else {**condition, "then": node}


def _outcome(odds: dict[str, Any], node: Any) -> Any:
    if not odds:
        return node
    if isinstance(node, dict) and not set(node) & {"p", "weight"}:
        return {**odds, **node}
    return {**odds, "then": node}


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """A document with any of the language in it."""
    data: dict[str, Any] = {"game": draw(texts)}
    if draw(st.booleans()):
        data["description"] = draw(st.one_of(texts, st.lists(texts, max_size=4).map("\n".join)))
    params = draw(st.dictionaries(names, numbers, max_size=3))
    scope = tuple(params)
    if params:
        data["params"] = {**params, **({"xs": ["1", "2"]} if draw(st.booleans()) else {})}
    if draw(st.booleans()):
        data["define"] = {
            "won(q)": "any(q & l == l for l in [7, 56])",
            "k": draw(expressions(scope)),
        }
    if draw(st.booleans()):
        data["nodes"] = {
            "turn(t: 0..21, w: bool)": draw(named_nodes((*scope, "t"))),
            "start": draw(named_nodes(scope)),
            "board(cells: [9] of 0..2)": draw(nodes(scope)),
        }
        data["policies"] = {
            draw(texts): {"turn(t, w)": 'if t < 17 then "hit" else "stand"', "root": '"A"'},
            draw(texts): {"start": {"hit": "1/2", draw(labels): "rest"}},
        }
    data["root"] = draw(nodes(scope))
    if draw(st.booleans()):
        data["bounds"] = [draw(numbers), draw(numbers)]
    if draw(st.integers(0, 3)) == 0:
        kinds = draw(st.lists(st.sampled_from(_KINDS), unique=True, min_size=1))
        data["players"] = {kind: draw(texts) for kind in kinds}
    data["expect"] = draw(st.lists(expectations(scope), max_size=3))
    if not data["expect"]:
        del data["expect"]
    return {key: data[key] for key in draw(st.permutations(list(data)))}


@st.composite
def expectations(draw: st.DrawFn, scope: tuple[str, ...]) -> dict[str, Any]:
    """An entry of ``expect``."""
    entry: dict[str, Any] = {"value": draw(expressions(scope, 1))}
    extras: dict[str, Any] = {
        "within": "1e-6",
        "best": draw(st.one_of(texts, st.lists(texts, min_size=1, max_size=3))),
        "branches": draw(st.dictionaries(labels, numbers, min_size=1, max_size=3)),
        "algorithm": "minimax",
        "policy": draw(texts),
        "at": "turn(16, true)",
        "play": {"min": "random", "chance": "softmax:0.5"},
        "params": dict.fromkeys(scope, "3") or {"a": "1"},
        "size": {"nodes": "15", "depth": "3"},
        "note": draw(texts),
    }
    chosen = draw(st.lists(st.sampled_from(list(extras)), max_size=4, unique=True))
    return {**entry, **{key: extras[key] for key in chosen}}


@st.composite
def games(draw: st.DrawFn, depth: int = 3) -> dict[str, Any]:
    """A small explicit tree with exact numbers, which evaluates without errors."""
    return {"game": "random", "root": draw(_trees(depth))}


@st.composite
def _trees(draw: st.DrawFn, depth: int) -> Any:
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(
            st.one_of(st.integers(-20, 20).map(str), st.sampled_from(["1/3", "-5/7", "2.5"]))
        )
    kind = draw(st.sampled_from(_KINDS))
    found = draw(st.lists(_trees(depth - 1), min_size=1, max_size=3))
    if kind == "chance":
        outcomes = zip(_odds(draw, len(found)), found, strict=True)
        found = [_outcome(odds, node) for odds, node in outcomes]
    if draw(st.booleans()):
        return {kind: found}
    return {kind: {"ABC"[i]: node for i, node in enumerate(found)}}


@st.composite
def with_comments(draw: st.DrawFn, text: str) -> str:
    """``text`` with comments above some of its lines and behind others."""
    lines: list[str] = []
    count = 0
    for line in text.splitlines():
        for _ in range(draw(st.sampled_from([0, 0, 0, 0, 1, 2]))):
            if draw(st.integers(0, 3)) == 0:
                lines.append("")
            indent = draw(st.sampled_from([0, 2, len(line) - len(line.lstrip()), 4, 6, 10]))
            lines.append(f"{' ' * indent}# c{count}")
            count += 1
        behind = bool(line) and draw(st.integers(0, 4)) == 0
        lines.append(f"{line}  # c{count}" if behind else line)
        count += behind
    if draw(st.booleans()):
        lines.append(f"{draw(st.sampled_from(['', '  ', '      ']))}# c{count}")
    return "\n".join(lines) + "\n"
