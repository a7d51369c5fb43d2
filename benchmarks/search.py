"""How many positions does a search look at in a second, beside searches written elsewhere?

Alpha-beta on tic-tac-toe, to its end: gametree's exact search and its machine code, easyAI's
Negamax, OpenSpiel's alpha-beta in Python over its C++ states and, where `--spiel PROGRAM` names
it, in C++ (see benchmarks/peers/minimax.cc). All as a tree, without a transposition table. Then
Star1, Star2 and full evaluation on pig race. What is not installed is left out. Every search has
to give the right value. `pip install '.[bench]'` for the peers.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from measuring import machine, table

Rate = tuple[int, float]  # positions, seconds
ROUNDS = 5
LINES = [7, 56, 448, 73, 146, 292, 273, 84]


def bundled(name: str, **settings: str) -> object:
    from gametree.evaluator.game import Game
    from gametree.spec.reader import bundled as path_of
    from gametree.spec.reader import read_path

    document = read_path(path_of(name) or "").document
    assert document is not None
    return Game.from_document(document, settings)


def ours(game: object, algorithm: str, numbers: str, budget: int | None) -> Rate:
    from gametree.evaluator.search.budget import Budget
    from gametree.evaluator.search.run import Request, search

    limit = None if budget is None else Budget(nodes=budget)
    # one pass, however deep: a budget would look deeper and deeper
    request = Request(algorithm, numbers=numbers, table=0, order="written", budget=limit)  # type: ignore[arg-type]
    found = search(game, request)  # type: ignore[arg-type]
    if budget is None:
        assert found.certainty == "exact", found
        assert found.value == 0, found
    return found.nodes, found.seconds


def easy_ai() -> Rate:
    """Negamax of easyAI on the tic-tac-toe of its own examples, kept as a list of nine cells."""
    from easyAI import Negamax, TwoPlayerGame

    looked_at = [0]

    class TicTacToe(TwoPlayerGame):
        def __init__(self) -> None:
            self.players, self.board, self.current_player = [None, None], [0] * 9, 1

        def possible_moves(self) -> list[int]:
            return [i + 1 for i, cell in enumerate(self.board) if cell == 0]

        def make_move(self, move: int) -> None:
            self.board[int(move) - 1] = self.current_player

        def unmake_move(self, move: int) -> None:
            self.board[int(move) - 1] = 0

        def lose(self) -> bool:
            return any(
                all(self.board[c - 1] == self.opponent_index for c in line)
                for line in (
                    [1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 4, 7], [2, 5, 8], [3, 6, 9],
                    [1, 5, 9], [3, 5, 7],
                )
            )  # fmt: skip

        def is_over(self) -> bool:
            looked_at[0] += 1
            return self.possible_moves() == [] or self.lose()

        def show(self) -> None:
            pass

        def scoring(self) -> int:
            return -100 if self.lose() else 0

    game, search = TicTacToe(), Negamax(9)
    begun = time.perf_counter()
    search(game)
    spent = time.perf_counter() - begun
    assert game.ai_move is not None  # type: ignore[attr-defined]
    return looked_at[0], spent


def spiel_nodes() -> int:
    """How many positions OpenSpiel's order of moves looks at; its C++ has the same order."""

    def walk(x: int, o: int, alpha: int, beta: int) -> tuple[int, int]:
        mover, other = (x, o) if x.bit_count() == o.bit_count() else (o, x)
        if any(other & line == line for line in LINES):
            return (-1 if mover == x else 1), 1
        if x | o == 511:
            return 0, 1
        up = mover == x
        best, count = (-2 if up else 2), 1
        for cell in range(9):
            if (x | o) >> cell & 1:
                continue
            after = (x | 1 << cell, o) if up else (x, o | 1 << cell)
            value, more = walk(*after, alpha, beta)
            count += more
            best = max(best, value) if up else min(best, value)
            alpha, beta = (max(alpha, best), beta) if up else (alpha, min(beta, best))
            if alpha >= beta:
                break
        return best, count

    value, count = walk(0, 0, -2, 2)
    assert value == 0
    return count


def open_spiel() -> Rate:
    import pyspiel
    from open_spiel.python.algorithms import minimax

    game, count = pyspiel.load_game("tic_tac_toe"), spiel_nodes()
    begun = time.perf_counter()
    value, _ = minimax.alpha_beta_search(game)
    spent = time.perf_counter() - begun
    assert value == 0
    return count, spent


def open_spiel_in_c(program: str, *, undo: bool) -> Rate:
    out = subprocess.run([program, "20"], capture_output=True, text=True, check=True).stdout
    words = next(line.split() for line in out.splitlines() if line.split()[1] == str(int(undo)))
    assert float(words[3]) == 0
    return spiel_nodes(), float(words[2])


def searches(program: str | None) -> dict[str, Callable[[], Rate]]:
    tic_tac_toe, pig = bundled("tic-tac-toe"), bundled("pig-race")
    found: dict[str, Callable[[], Rate]] = {
        "tic-tac-toe, gametree, exact": lambda: ours(tic_tac_toe, "alpha-beta", "exact", None),
        "tic-tac-toe, gametree, machine code": lambda: ours(
            tic_tac_toe, "alpha-beta", "float", None
        ),
        "tic-tac-toe, gametree, machine code, full": lambda: ours(
            tic_tac_toe, "full", "float", None
        ),
    }
    if _there("easyAI"):
        found["tic-tac-toe, easyAI Negamax (Python)"] = easy_ai
    if _there("pyspiel"):
        found["tic-tac-toe, OpenSpiel (Python over C++ states)"] = open_spiel
    if program is not None:
        found["tic-tac-toe, OpenSpiel (C++)"] = lambda: open_spiel_in_c(program, undo=False)
        found["tic-tac-toe, OpenSpiel (C++, undo)"] = lambda: open_spiel_in_c(program, undo=True)
    for algorithm in ("star1", "star2", "full"):
        for numbers, budget in (("exact", 20_000), ("float", 10_000_000)):
            name = "exact" if numbers == "exact" else "machine code"

            def work(a: str = algorithm, n: str = numbers, b: int = budget) -> Rate:
                return ours(pig, a, n, b)

            found[f"pig-race, gametree, {name}, {algorithm}"] = work
    return found


def _there(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spiel", metavar="PROGRAM", help="benchmarks/peers/minimax.cc, compiled")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    work = searches(options.spiel)
    rates: dict[str, list[Rate]] = {name: [] for name in work}
    for count in range(options.rounds + 1):  # the first round is not counted
        for name, run in work.items():
            done = run()
            if count:
                rates[name].append(done)
    rows: list[tuple[str, ...]] = []
    for name, each in rates.items():
        nodes, seconds = each[0][0], statistics.median(seconds for _, seconds in each)
        rows.append((name, f"{nodes:,}", f"{seconds * 1e3:,.2f} ms", f"{nodes / seconds:,.0f}"))
    print(f"{machine()}\n\n{table(['search', 'positions', 'time', 'positions a second'], rows)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
