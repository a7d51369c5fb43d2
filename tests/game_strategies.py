"""Random games with state: named nodes whose first argument shrinks, so that they all end."""

from __future__ import annotations

from hypothesis import strategies as st

TOP = 5  # `n` starts at most here
NAMES = ("f", "g", "h")
WAYS = ("equal", "p", "weight", "dice", "table", "loop", "nested", "rest loop", "p or all")

_small = st.integers(-4, 6)


@st.composite
def amounts(draw, local=()):
    """An expression over ``n``, ``m`` and ``local``, always a number."""
    a, b, c = draw(_small), draw(_small), draw(_small)
    x = draw(st.sampled_from(["n", "m", "k", *local]))
    return draw(
        st.sampled_from(
            [
                f"{c}", f"{x} + {a}", f"{a} * {x} - {b}", f"abs({x} - {c})", f"({a} * n + {b} * m) / 3",
                f"if {x} > 1 then {a} else {b} * m", f"[{a}, {b}, {c}][m % 3]", f"sum(i * {x} for i in 1..3 if i != {b})",
                f"let z = {x} * {a} in z * z", f"max({x}, {b}) ** 2", f"{x} // 2 + {x} % 3",
                f"if {x} in [1, {c}] or not (n < 2) then 1/2 else {a}",
            ]
        )
    )  # fmt: skip


@st.composite
def calls(draw, names, local=()):
    """A call of a named node in a state with a smaller ``n``."""
    step = draw(st.sampled_from(["1", "2", *local]))
    a, b, c = (draw(st.integers(0, 3)) for _ in range(3))
    x = draw(st.sampled_from(["m", "n", *local]))
    return f"{draw(st.sampled_from(names))}(max(0, n - {step}), ({a} * m + {b} * {x} + {c}) % 4)"


@st.composite
def node_expressions(draw, names, local=()):
    """Arithmetic on nodes."""
    first, second = draw(calls(names, local)), draw(calls(names, local))
    a = draw(amounts(local))
    return draw(
        st.sampled_from(
            [
                first, first, f"1 - {first}", f"-({a}) + {first}", f"{first} / 2 - 3 * {second}", f"-{first}",
                f"if m > 1 then {first} else 2 * {second}", f"let y = ({a}) in {first} + y", f"({a})", f"2 * (1 - {first})",
                f"(if n > 2 then {first} else {second} + 1) - 1",
            ]
        )
    )  # fmt: skip


@st.composite
def bodies(draw, names, local=(), depth=2):
    """A node, under chance or not."""
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(node_expressions(names, local))
    shape = draw(
        st.sampled_from(["choice", "choice", "choice", "chance", "chance", "if", "let", "then"])
    )
    said = {}
    if draw(st.integers(0, 3)) == 0:
        said[draw(st.sampled_from(["reward", "cost"]))] = draw(amounts(local))
    if shape == "if":
        yes, no = draw(bodies(names, local, depth - 1)), draw(bodies(names, local, depth - 1))
        return {**said, "if": f"{draw(amounts(local))} < 2", "then": yes, "else": no}
    if shape == "let":
        inner = draw(bodies(names, (*local, "q"), depth - 1))
        bound = {"let": {"q": "1 + (" + draw(amounts(local)) + ") % 2 // 1"}}
        return {**bound, "then": inner}
    if shape == "then":
        return {**said, "then": draw(bodies(names, local, depth - 1))}
    if shape == "chance":
        return {**said, "chance": draw(chances(names, local, depth))}
    branches = draw(st.lists(bodies(names, local, depth - 1), min_size=1, max_size=3))
    branches[1:] = [draw(branch(body, local)) for body in branches[1:]]
    loop = draw(
        st.sampled_from(
            [None, "for d in 1..2", "for d in [1, 2] if (n + d) % 2 == 0", "for d in 1..m"]
        )
    )
    kind = draw(st.sampled_from(["max", "min"]))
    group = {f"b{i}": branch for i, branch in enumerate(branches)}
    if loop is None:
        return {**said, kind: draw(st.sampled_from([group, branches]))}
    return {**said, kind: {**group, loop: draw(bodies(names, (*local, "d"), depth - 1))}}


@st.composite
def branch(draw, body, local):
    """``body`` as it is, or as a branch that is there only in some states, or in none."""
    if draw(st.integers(0, 2)):
        return body
    when = {"when": f"{draw(amounts(local))} < {draw(_small)}"}
    return {**when, **body} if isinstance(body, dict) else {**when, "then": body}


def perhaps(draw, outcomes, local):
    """Outcomes with labels, of which the second is always there and has odds above 0."""
    return {
        f"o{i}": outcome if i == 1 else draw(branch(outcome, local))
        for i, outcome in enumerate(outcomes)
    }


@st.composite
def chances(draw, names, local, depth):
    """The outcomes of a chance node, with one of the ways to say their odds."""
    way = draw(st.sampled_from(WAYS))
    made = [draw(bodies(names, local, depth - 1)) for _ in range(draw(st.integers(2, 3)))]
    if way == "equal":
        return [made[0], *[draw(branch(body, local)) for body in made[1:]]]
    if way == "p or all":
        rule = f"{draw(amounts(local))} < {draw(_small)}"
        first, second, *_ = made
        return {
            "x": {"when": rule, "p": "(m + 1) / 9", "then": first},
            "y": {"when": rule, "p": "1 - (m + 1) / 9", "then": second},
            "z": {"when": f"not ({rule})", "p": "1", "then": first},
        }
    if way == "p":
        odds = ["(m + 1) / 9", *["rest"] * (len(made) - 1)]
        return perhaps(draw, [{"p": p, "then": b} for p, b in zip(odds, made, strict=True)], local)
    if way == "weight":
        odds = ["m", "n / 2 + 1", "3"][: len(made)]
        said = [{"weight": w, "then": b} for w, b in zip(odds, made, strict=True)]
        return perhaps(draw, said, local)
    inner = draw(bodies(names, (*local, "d"), depth - 1))
    if way == "rest loop":
        return {"for d in 1..2 @ 1/5": inner, "other": {"p": "rest", "then": made[0]}}
    if way == "nested":
        return {"for e in [0, 1]": {"for d in 1..2": inner}}
    source = {"dice": "2d2", "table": "{1: 1/3, 2: rest}", "loop": "1..3 @ d / 6"}[way]
    return {f"for d in {source}": inner}


@st.composite
def stateful_games(draw):
    """A document of a game that ends, with up to three named nodes of up to 24 states each."""
    names = NAMES[: draw(st.integers(1, 3))]
    nodes = {}
    for name in names:
        body = {"if": "n <= 0", "then": draw(amounts()), "else": draw(bodies(names))}
        nodes[f"{name}(n: 0..{TOP}, m: 0..3)"] = body
    start = [
        f"{draw(st.sampled_from(names))}({draw(st.integers(1, TOP))}, {draw(st.integers(0, 3))})"
        for _ in range(2)
    ]
    root = {
        draw(st.sampled_from(["max", "min", "chance"])): {
            "a": start[0],
            "b": f"1 - {start[1]}",
            "c": "k",
        }
    }
    return {
        "game": "random",
        "params": {"k": str(draw(st.integers(0, 3)))},
        "nodes": nodes,
        "root": root,
    }
