"""Tables of states: which rows and columns, in which format, and beside which policy."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction

import gametree
import pytest
from gametree.evaluator.compare import Stage
from gametree.evaluator.table import table
from gametree.spec.diagnostics import UsageError

DIFFERING = """\
Push to 21, expectiminimax: turn

  total  stand   hit  value  choice  policy  slip       reach        cost
!    14     14  12.6     14  stand   hit      1.4  ≈ 0.175827  ≈ 0.246158
!    15     15  11.1     15  stand   hit      3.9    ≈ 0.1801  ≈ 0.702389
!    16     16   9.5     16  stand   hit      6.5  ≈ 0.183469   ≈ 1.19255

3 of 22 states
! "hit until 17" chooses differently in 3 states
"""
ROWS = """\
Push to 21, expectiminimax: turn

total  stand           hit         value  choice
    0      0  15.85851323…  15.85851323…  hit
    1      1  15.95683021…  15.95683021…  hit

3 of 22 states; 1 left out (--limit 3 shows all)
"""


@pytest.fixture(scope="module")
def push():
    return Stage.of(gametree.load("push-to-21"))


def column(made, name):
    found = next(c for c in made.columns if c.name == name)
    return made.chunk(found, 0, len(made))


def test_a_policy_differs_at_three_totals(run):
    done = run("table", "push-to-21", "--policy", "hit until 17", "--where", "differs")
    assert (done.returncode, done.stdout) == (0, DIFFERING)


def test_a_limit_says_what_is_left_out(run):
    done = run("table", "push-to-21", "turn", "--where", "total < 3", "--limit", "2")
    assert (done.returncode, done.stdout) == (0, ROWS)


def test_standing_is_best_from_14_on(push):
    made = table(push, where='choice == "stand"')
    assert column(made, "total") == list(range(14, 22))
    assert column(made, "value") == list(range(14, 22))


def test_slips_are_what_the_choice_loses(push):
    made = table(push, policy="hit until 17", where="differs")
    assert column(made, "slip") == [Fraction(7, 5), Fraction(39, 10), Fraction(13, 2)]
    assert (
        sum(column(made, "cost"))
        == gametree.load("push-to-21").evaluate().value
        - gametree.load("push-to-21").evaluate(policy="hit until 17").value
    )


def test_sorting_puts_what_is_missing_last(push):
    made = table(push, policy="hit until 17", sort=["-slip", "total"], columns=["total", "slip"])
    assert column(made, "total")[:3] == [16, 15, 14]


def test_csv_has_floats_and_exact_csv_fractions(run):
    how = ("table", "push-to-21", "--where", "total == 14", "--format", "csv")
    assert run(*how).stdout == "total,stand,hit,value,choice\n14,14.0,12.6,14.0,stand\n"
    assert run(*how, "--exact").stdout == "total,stand,hit,value,choice\n14,14,63/5,14,stand\n"


def test_json_has_both(run, tmp_path):
    done = run(
        "table", "push-to-21", "--where", "total == 16", "--policy", "hit until 17", "-o", "t.json"
    )
    assert done.returncode == 0
    [row] = json.loads((tmp_path / "t.json").read_text())["rows"]
    assert row["state"] == {"total": 16}
    assert row["branches"]["hit"] == {"value": "19/2", "value_float": 9.5}
    assert (row["choice"], row["policy"]) == (["stand"], {"hit": "1"})
    assert (row["differs"], row["slip"], row["slip_float"]) == (True, "13/2", 6.5)


def test_parquet_without_pyarrow_says_how_to_get_it(run, tmp_path):
    try:
        from pyarrow import parquet
    except ImportError:
        done = run("table", "push-to-21", "-o", "t.parquet")
        assert done.returncode == 2
        assert "gametree[parquet]" in done.stderr
        assert not (tmp_path / "t.parquet").exists()
    else:
        assert run("table", "push-to-21", "-o", "t.parquet").returncode == 0
        read = parquet.read_table(tmp_path / "t.parquet").to_pydict()
        assert read["total"] == list(range(22))
        assert read["choice"][13:15] == ["hit", "stand"]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"node": "tur"}, "did you mean `turn`?"),
        ({"columns": ["totl"]}, "did you mean `total`?"),
        ({"where": "total +"}, "is not a condition"),
        ({"where": "total + 1"}, "is not a condition"),
        ({"where": "1 / total > 2"}, "has no value in turn(0)"),
        ({"policy": "hit until 16"}, "has no policy"),
        ({"columns": ["slip"]}, "--policy"),
    ],
)
def test_wrong_names_are_told(push, how, said):
    with pytest.raises(UsageError, match=r".*") as told:
        table(push, **how)
    assert said in str(told.value)


def test_a_game_without_named_nodes_has_no_table(run):
    done = run("table", "dice")
    assert done.returncode == 2
    assert "--strategy" in done.stderr


LARGE = """\
game "race"
param target = 60
node race(me: 0..target, you: 0..target, pot: 0..target) = max {
  roll: chance {
    "1": if me + 1 >= target then 1 else 1 - race(you, me + 1, 0)
    for d in 2..6: if me + pot + d >= target then 1 else race(me, you, pot + d)
  }
  for h in [1] if pot > 0 as "hold": 1 - race(you, me + pot, 0)
}
root race(0, 0, 0)
policy "hold at 9" { race(me, you, pot): if pot >= 9 then "hold" else "roll" }
policy "slow" { race(m, y, p): if p in [9, 10, 11] or p > 11 then "hold" else "roll" }
"""


def test_large_games_agree_with_small_ones(tmp_path):
    """The same table by columns of numpy and by exact fractions, labels of loops included."""
    path = tmp_path / "race.tree"
    path.write_text(LARGE)
    game = gametree.load(str(path))
    fast = Stage.of(game)
    assert type(fast.optimum.dag).__name__ == "ArrayDag"
    small = gametree.load(str(path), target="14")
    exact = Stage.of(small)
    where = 'me + pot >= 50 and pot > 2 and choice == "hold"'
    made = table(fast, where=where, policy="hold at 9", sort=["-cost"])
    slow = table(fast, where=where, policy="slow", sort=["-cost"])
    assert len(made) > 10
    for name in ("me", "you", "pot", "roll", "hold", "value", "choice", "differs", "slip"):
        assert column(made, name) == column(slow, name)
    rows = list(csv.reader(io.StringIO("".join(_csv(made)))))
    assert rows[0][:5] == ["me", "you", "pot", "roll", "hold"]
    assert len(rows) == 1 + len(made)
    assert sum(column(table(exact, policy="hold at 9"), "reach")) > 1


def _csv(made):
    from gametree.render.table import table_csv

    return table_csv(made)
