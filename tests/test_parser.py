"""Expressions, headers and loops: precedence, printing, messages and limits."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from gametree.spec import expressions as ex
from gametree.spec import parser_tables
from gametree.spec.diagnostics import Code
from gametree.spec.expression_printer import print_expression
from gametree.spec.parser import ParseError, parse_expression, parse_for, parse_header
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

# ---- precedence: each line's two texts mean the same, or the text prints as itself ----

SAME = {
    "1+2*3": "1 + (2 * 3)",
    "1-2-3": "(1 - 2) - 3",
    "2**3**2": "2**(3**2)",
    "-2**2": "-(2**2)",
    "2**-1": "2**(-1)",
    "-x[0]": "-(x[0])",
    "a or b and not c": "a or (b and (not c))",
    "not a == b": "not (a == b)",
    "b & l == l": "(b & l) == l",
    "a | b ^ c & d << e + f": "a | (b ^ (c & (d << (e + f))))",
    "1..n-1": "1..(n - 1)",
    "x in 1..3": "x in (1..3)",
    "x not in s and y": "(x not in s) and y",
    "if a then b else if c then d else e": "if a then b else (if c then d else e)",
    "if a then b else c + 1": "if a then b else (c + 1)",
    "let a = 1, b = a in a + b": "let a = 1 in (let b = a in (a + b))",
    "let a = 1 in x in s": "let a = 1 in (x in s)",
    "let a = if x in s then 1 else 2 in a": "let a = (if (x in s) then 1 else 2) in a",
    "let a = let b = 1 in b in a": "let a = (let b = 1 in b) in a",
    "10%3": "10 % 3",
    "total %3": "total % 3",
    "(25%)*2": "25% * 2",
    "25%-1": "25% - 1",
    "a\n+ b": "a + b",
    "f( x,\n # what\n y )": "f(x, y)",
    "{1:1/2,2:rest}": "{1: 1 / 2, 2: rest}",
    "{a; b}": "{a: rest, b: rest}",
    "[x for x in xs if a if b for y in x]": "[x for x in xs if (a) if (b) for y in x]",
    "roll(5,6)[0]": "(roll(5, 6))[0]",
    "`legal fees`*2": "`legal fees` * 2",
    "cafe\u0301": "caf\u00e9",
    "[1,2,]": "[1, 2]",
}


@pytest.mark.parametrize("text", SAME)
def test_operators_bind_as_documented(text: str):
    """Both texts are the same expression."""
    assert parse_expression(text) == parse_expression(SAME[text])


def test_percent_is_a_number_only_where_no_operand_follows():
    """``25%`` is a quarter; ``10 % 3`` is a remainder."""
    quarter = parse_expression("x * 25%")
    remainder = parse_expression("10%3")

    assert isinstance(quarter, ex.Binary)
    assert quarter.right == ex.Number(Fraction(1, 4))
    assert remainder == ex.Binary("%", ex.Number(Fraction(10)), ex.Number(Fraction(3)))


def test_comparisons_chain():
    """``a < b <= c`` is one comparison of three."""
    chain = parse_expression("a < b <= c not in d")

    assert isinstance(chain, ex.Compare)
    assert chain.operators == ("<", "<=", "not in")
    assert len(chain.operands) == 4


@pytest.mark.parametrize(
    "name",
    "max min chance label note cost reward param node root policy "
    "expect game weight rest p as of value переменная 名前 été".split(),
)
def test_only_ten_words_are_taken(name: str):
    """Words of the text notation stay usable as names."""
    assert parse_expression(name) == ex.Name(name)
    assert parse_expression(f"{name}(1)") == ex.Call(name, (ex.Number(Fraction(1)),))
    assert parse_header(f"f({name}: int)").arguments[0].name == name


def test_places_are_those_of_the_text():
    """Each expression knows its stretch, brackets included."""
    text = "1 + (a + bc) * f(x)"
    expr = parse_expression(text)

    stretches = {text[e.start : e.end] for e in expr.walk()}

    assert stretches == {text, "1", "(a + bc) * f(x)", "(a + bc)", "a", "bc", "f(x)", "x"}


def test_strings_have_the_escapes_of_json():
    """Quotes, line breaks and code points, surrogate pairs among them."""
    text = parse_expression(r'"a\"b\\c\n\u00e9\ud83d\ude00{x}"')

    assert text == ex.Text('a"b\\c\né😀{x}')


def test_headers_give_names_and_kinds():
    """Kinds are ranges, names and lists of a fixed length."""
    header = parse_header("turn(total: 0..target, b: bool, board: [9] of 0..2, n)")
    kinds = [argument.kind for argument in header.arguments]

    assert header.name == "turn"
    assert [a.name for a in header.arguments] == ["total", "b", "board", "n"]
    assert kinds[0] == ex.Range(ex.Number(Fraction(0)), ex.Name("target"))
    assert kinds[1] == ex.Name("bool")
    assert isinstance(kinds[2], ex.ListOf)
    assert kinds[3] is None
    assert parse_header("f()") == parse_header("f") == ex.Header("f")


def test_loops_give_all_their_parts():
    """A condition, odds and a label, each of which may be missing."""
    full = parse_for('for d in 1..6 if d != 3 @ weight d * 2 as "rolled {d}"')

    assert full.name == "d"
    assert isinstance(full.condition, ex.Compare)
    assert isinstance(full.odds, ex.Binary)
    assert full.is_weight
    assert full.label == ex.Text("rolled {d}")
    assert parse_for("for x in s @ rest").odds == ex.Name("rest")
    assert parse_for("for x in s") == ex.For("x", ex.Name("s"))


# ---- messages ----

SLIPS = """
1 +                     | 2 | expected a value after `+`, found nothing |
1 + * 2                 | 4 | expected a value after `+`, found `*` |
f(1,,2)                 | 4 | expected a value after `,`, found `,` |
(1 + 2                  | 0 | `(` is never closed | add `)` where it ends
[1, 2                   | 0 | `[` is never closed | add `]` where it ends
f(1, 2]                 | 6 | `(` is closed by `]`, expected `)` |
5)                      | 1 | `)` closes nothing | remove it, or open it with `(`
()                      | 0 | `()` has nothing in it |
a = b                   | 2 | `=` gives a name its value | use `==` to compare
a < = b                 | 4 | `< =` is written `<=` here |
a && b                  | 2 | `&&` is written `and` here |
a or b || c             | 7 | `||` is written `or` here |
!a                      | 0 | `!` is written `not` here |
a ≤ b                   | 2 | `≤` is written `<=` here |
2 × 3                   | 2 | `×` is written `*` here |
a <> b                  | 2 | `<>` is written `!=` here |
1...5                   | 1 | `...` is written `..` here |
x += 1                  | 2 | `+=` means nothing here: nothing is ever assigned |
a AND b                 | 2 | `AND` is written `and` here |
x mod 3                 | 2 | `mod` is written `%` here |
a ? b : c               | 2 | `?` means nothing here | write `if c then a else b`
b if a else c           | 2 | the condition comes first | write `if c then a else b`
if a: b else: c         | 4 | `if` is followed by `then`, not by `:` | write `if c then a else b`
if a then b             | 5 | `then` without `else` | it is written `if c then a else b`
let a = 1               | 0 | `let` without `in` | it is written `let n = a in e`
let a in b              | 6 | expected `=` after `a`, found `in` |
1 + if a then b else c  | 4 | `if` cannot follow `+` | put it in round brackets: `(if … then … else …)`
a == not b              | 5 | `not` cannot follow `==` | put it in round brackets: `(not …)`
2x                      | 0 | `2x` is neither a number nor a name | write `2 * x` to multiply
2(3)                    | 1 | expected an operator between `2` and `(` | write `2 * (…)`
1 2                     | 2 | expected an operator between `1` and `2` |
[1 2]                   | 3 | expected an operator between `1` and `2` | or a comma, if they are two things
legal fees              | 6 | expected an operator between `legal` and `fees` | a name of several words stands in backquotes: `` `legal fees` ``
f(x)(y)                 | 4 | expected an operator between `)` and `(` | only a name can be called: `f(x)`
'hit'                   | 0 | `'` begins no text | labels stand in straight double quotes: "…"
“hit”                   | 0 | `“` begins no text | labels stand in straight double quotes: "…"
"hit                    | 0 | `"` is never closed | texts end on the line they begin on
`hit                    | 0 | the backquote is never closed |
50 %                    | 3 | expected a value after `%`, found nothing | for a percentage write `50%`, without a space
sum(x for x)            | 11 | expected `in` after `x`, found `)` |
for x in xs             | 0 | expected a value, found `for` | a loop stands in `sum(… for …)`, in `[… for …]` or as a branch
max { 1 }               | 0 | `max { … }` cannot stand in an expression | write it as a node of its own, with the key `max`
a, b                    | 1 | unexpected `,` after `a` | a list stands in square brackets: `[a, b]`
a.b                     | 1 | `.` means nothing here | names have no parts; a range is `a..b`
x²                      | 0 | `x²` is no name | write `x**2`
a − b                   | 2 | `−` (U+2212, minus sign) is no operator | write `-`
{1 = 1/2}               | 3 | `=` gives a name its value | use `==` to compare, and `:` between a key and its value
"""


@pytest.mark.parametrize("line", SLIPS.strip().splitlines())
def test_slips_are_explained(line: str):
    """What was found, what was expected and how to mend it, at the right place."""
    text, start, message, help_ = (
        (part.strip() for part in line.split(" | ", 3))
        if line.count(" | ") == 3
        else [*(part.strip() for part in line.rstrip(" |").split(" | ", 2)), ""]
    )

    with pytest.raises(ParseError) as caught:
        parse_expression(text)

    assert (caught.value.start, caught.value.message, caught.value.help or "") == (
        int(start),
        message,
        help_,
    )


@pytest.mark.parametrize(
    ("text", "code", "stretch"),
    [
        ("3 + 010", Code.AMBIGUOUS_NUMBER, "010"),
        ("0,5", Code.NOT_A_NUMBER, "0,5"),
        ("x * .inf", Code.NOT_FINITE, ".inf"),
        ("1 + nan", Code.NOT_FINITE, "nan"),
        ("2 * 1e999999", Code.NUMBER_LIMIT, "1e999999"),
        ("½ * x", Code.NOT_A_NUMBER, "½"),
        ("1. + 2", Code.NOT_A_NUMBER, "1."),
    ],
)
def test_bad_numbers_keep_their_codes(text: str, code: Code, stretch: str):
    """A number that is none has the code it has everywhere else."""
    with pytest.raises(ParseError) as caught:
        parse_expression(text)

    assert caught.value.code is code
    assert text[caught.value.start : caught.value.end] == stretch


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("turn(total 0..3)", "expected `:`, `)` or `,` after `total`, found `0`"),
        ("turn(total: )", "expected a value after `:`, found `)`"),
        ("f(x=3)", "`=` gives a name its value"),
        ("turn(", "`(` is never closed"),
        ("3", "expected a name, found `3`"),
        ("", "expected a name, found nothing"),
    ],
)
def test_slips_in_headers_are_explained(text: str, message: str):
    """Headers have messages of their own."""
    with pytest.raises(ParseError) as caught:
        parse_header(text)

    assert caught.value.message == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("for x of xs", "expected `in` after `x`, found `of`"),
        ("for x", "expected `in` after `x`, found nothing"),
        ("for x in", "expected a value after `in`, found nothing"),
        ("for x in xs @", "expected a value after `@`, found nothing"),
        ("for x in xs as label", "`as` is followed by a text in quotes"),
        ("for 1 in xs", "expected a name after `for`, found `1`"),
    ],
)
def test_slips_in_loops_are_explained(text: str, message: str):
    """So have loops."""
    with pytest.raises(ParseError) as caught:
        parse_for(text)

    assert caught.value.message == message


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.sampled_from(
            "1 2.5 25% x max if then else let in for and or not ( ) [ ] { } , : ; = == < .. + - * "
            '/ % ** "a" `b c` @ # \n 2d6 rest ? \u00a0 ½ " `'.split(" ")
        ),
        max_size=12,
    )
)
def test_mangled_texts_give_trees_or_messages(words: list[str]):
    """Nothing but a tree or a ``ParseError`` in plain words comes out."""
    text = " ".join(words)
    for parse in (parse_expression, parse_header, parse_for):
        problem = _problem(parse, text)
        if problem is not None:
            assert 0 <= problem.start <= problem.end <= len(text)
            assert not any(word in problem.message for word in ("Token", "LPAR", "$END", "_"))


def _problem(parse: Callable[[str], object], text: str) -> ParseError | None:
    try:
        parse(text)
    except ParseError as problem:
        return problem
    return None


# ---- limits ----


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "[" * 201 + "]" * 201,
        "1" + "+1" * 100_000,
        "-" * 100_000 + "1",
        "2" + "**2" * 10_000,
        "x" + "[0]" * 10_000,
        "if a then 1 else " * 10_000 + "1",
        "let a = 1 in " * 10_000 + "1",
        "f(" * 100_000,
        "not " * 10_000 + "a",
    ],
    ids=lambda text: text[:8],
)
def test_deep_expressions_are_refused(text: str):
    """Deeper than 200 levels is one message, whatever makes the levels, and quickly so."""
    start = time.perf_counter()

    with pytest.raises(ParseError) as caught:
        parse_expression(text)

    assert caught.value.code is Code.NESTING
    assert "200 levels" in caught.value.message
    assert time.perf_counter() - start < 20


def test_two_hundred_levels_are_fine():
    """The limit itself is allowed."""
    assert parse_expression("1" + " + 1" * 199)
    assert parse_expression("(" * 200 + "1" + ")" * 200) == ex.Number(Fraction(1))
    assert print_expression(parse_expression("-" * 199 + "1")) == "-" * 199 + "1"


# ---- printing ----

NAMES = st.sampled_from(["a", "x1", "total", "max", "legal fees", "if", "été", "rest of it", "as"])


def _operations(inner: st.SearchStrategy[ex.Expr]) -> st.SearchStrategy[ex.Expr]:
    several = st.lists(inner, max_size=3).map(tuple)
    clauses = st.lists(
        st.builds(ex.Clause, NAMES, inner, st.lists(inner, max_size=2).map(tuple)),
        min_size=1,
        max_size=2,
    ).map(tuple)
    compare = st.lists(
        st.tuples(st.sampled_from(ex.Compare.OPERATORS), inner), min_size=1, max_size=3
    ).flatmap(
        lambda pairs: inner.map(
            lambda first: ex.Compare(
                (first, *(operand for _, operand in pairs)), tuple(op for op, _ in pairs)
            )
        )
    )
    return st.one_of(
        st.builds(ex.Unary, st.sampled_from(ex.Unary.OPERATORS), inner),
        st.builds(ex.Binary, st.sampled_from(ex.Binary.OPERATORS), inner, inner),
        compare,
        st.builds(ex.IfElse, inner, inner, inner),
        st.builds(ex.LetIn, NAMES, inner, inner),
        st.builds(ex.Sequence, several),
        st.builds(ex.Index, inner, inner),
        st.builds(ex.Range, inner, inner),
        st.builds(ex.Call, NAMES, several),
        st.builds(ex.Comprehension, st.sampled_from(["", "sum", "any", "max"]), inner, clauses),
        st.builds(
            ex.Table,
            st.lists(st.tuples(inner, st.none() | inner), max_size=3).map(tuple),
        ),
    )


DECIMALS = st.builds(
    lambda top, places: Fraction(top, 10**places), st.integers(0, 10**6), st.integers(0, 4)
)
EXPRESSIONS = st.recursive(
    st.one_of(
        st.builds(ex.Number, DECIMALS),
        st.sampled_from(["25%", ".5", "1e-3", "1_000", "7"]).map(parse_expression),
        st.builds(ex.Truth, st.booleans()),
        st.builds(ex.Text, st.text(max_size=5)),
        st.builds(ex.Name, NAMES),
        st.builds(ex.Dice, st.integers(1, 9), st.integers(1, 20)),
    ),
    _operations,
    max_leaves=12,
)


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(EXPRESSIONS)
def test_printed_expressions_parse_back(expr: ex.Expr):
    """parse(print(e)) == e, and printing again changes nothing."""
    text = print_expression(expr)

    assert parse_expression(text) == expr
    assert print_expression(parse_expression(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "1 - pig(you, me + pot, 0)",
        'if total < 17 then "hit" else "stand"',
        "any(b & l == l for l in lines)",
        "(a + b) * c - (d - e)",
        "-(a + b)**2",
        "not (a and b) or c",
        "let n = total + d in turn(n)",
        "{1: 1 / 2, 2: rest}",
        "(if a then b else c) + 1",
        "x[i + 1][0] in 1..6",
        "(x in s) == (y in s)",
        "2d6 + 1",
    ],
)
def test_canonical_texts_print_as_they_are(text: str):
    """No bracket more than needed, one space around operators."""
    assert print_expression(parse_expression(text)) == text


# ---- the shipped table ----


def test_the_shipped_table_is_current():
    """A change of the grammar needs ``python -m gametree.spec.parser_tables``."""
    import lark
    from gametree.spec import parser_table

    if lark.__version__ != parser_table.LARK:
        pytest.skip(f"the table is for lark {parser_table.LARK}")
    shipped, fresh = parser_tables.shipped(), parser_tables.build()

    assert shipped is not None
    assert _essence(shipped) == _essence(fresh)


def _essence(parser: Any) -> tuple[list[str], list[str], list[list[str]]]:
    """A parser without the numbers of its states, which differ from build to build."""
    states = parser.parser.parser._parse_table.states
    return (
        sorted(repr(terminal) for terminal in parser.terminals),
        sorted(f"{rule} {rule.alias}" for rule in parser.rules),
        sorted(sorted(str(symbol) for symbol in state) for state in states.values()),
    )


def test_a_fresh_parser_gives_the_same_trees(monkeypatch: pytest.MonkeyPatch):
    """With another version of lark the grammar itself is used, to the same effect."""
    from gametree.spec import parser, parser_table

    texts = ["a + b * [x for x in 1..3 if x % 2 == 1][0]", "let a = 2d6 in {1: rest, 2: 25%}"]
    expected = [parse_expression(text) for text in texts]
    monkeypatch.setattr(parser_table, "LARK", "0")

    assert parser_tables.shipped() is None
    fresh = parser_tables.build()
    monkeypatch.setattr(parser_tables, "parser", lambda: fresh)
    parser._expression.cache_clear()
    assert [parse_expression(text) for text in texts] == expected


def test_equal_texts_give_the_same_tree():
    """Parsing is remembered."""
    assert parse_expression("a + b * 7") is parse_expression("a + b * 7")
