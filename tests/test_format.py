"""Formatting: layout changes, and nothing else."""

from __future__ import annotations

from gametree.spec.format import format_document
from gametree.spec.text_writer import write_text
from gametree.spec.yaml_writer import write_yaml

from .test_writers import read


def test_each_notation_is_written_by_its_own_writer():
    """The notation stays."""
    assert format_document(read("yaml", "game:  x\nroot:   1\n")) == "game: x\nroot: 1\n"
    assert format_document(read("text", 'game   "x"; root 1')) == 'game "x"\n\nroot 1\n'
    assert format_document(read("json", '{"game":"x","root":1}')).startswith('{\n  "game": "x"')


def test_expressions_are_spaced_and_kept():
    """Spacing is layout; what does not parse is left as it is."""
    text = "game: x\nroot: {max: [a+b*2, (a - b), 'f(1,2)', a +]}\n"

    assert '[a + b * 2, a - b, "f(1, 2)", a +]' in format_document(read("yaml", text))


def test_yaml_comments_stay_where_they_were():
    """Header, lines, ends, blank lines and the footer."""
    text = """\
# yaml-language-server: $schema=https://example.org/schema.json
# The header.

game: x

# above params
params:
  a: 1  # behind a

  # above b
  b: 2
  # at the end of params

# above root
root:  # behind root
  max:
    # above A
    A: {chance: [1, 2]}  # behind A
    B:
      min:
        - 1  # one
        # above two
        - 2
      # at the end of B
    # at the end of max

expect:
  # first
  - {value: 2}
  # last

# footer
"""

    assert format_document(read("yaml", text)) == text


def test_text_comments_stay_where_they_were():
    """Header, lines, ends and the footer."""
    text = """\
# The header.

game "x"

# above a
param a = 1  # behind a
param b = 2

# above root
root max {  # behind root
  # above A
  A: chance { 1, 2 }  # behind A
  B: min {  # behind B
    1  # one
    # above two
    2
    # at the end of B
  }  # closing B
  # at the end of root
}  # closing root

expect { value: 2 }  # behind

# footer
"""

    assert format_document(read("text", text)) == text


def test_comments_cross_between_notations():
    """A comment comes out at the place that says the same."""
    text = """\
# header
game: x

nodes:
  # the only turn
  turn(t):  # a state
    max:
      stop: t  # take it
      # or
      go: {cost: 1, then: turn(t + 1)}

root: turn(0)
"""

    written = write_text(read("yaml", text))

    assert (
        written
        == """\
# header
game "x"

# the only turn
node turn(t) = max {  # a state
  stop: t  # take it
  # or
  go: cost 1 then turn(t + 1)
}

root turn(0)
"""
    )
    assert write_yaml(read("text", written)) == text
