"""The fast engine: unfold a program into a ``Dag`` of numpy arrays.

Input   a ``Program``, a root form and limits.
Output  an ``ArrayDag``: the same arrays as the exact engine's, with doubles and the bounds of
        their rounding errors.
Errors  ``Unsupported`` and ``Unsure`` where the exact engine must do it; ``SpecError`` for what
        is wrong with the game.
"""

# pyright: basic
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ...spec.diagnostics import SpecError
from ...spec.source import Place
from ..dag import Kind, Size
from ..endless import round_in_circles, too_many_states, too_much_memory
from ..limits import Limits
from ..origin import NodeOrigin, State, state_title
from ..outcomes import outcomes
from ..program import Bind, Choice, Choose, Form, NamedNode, Program, Sum, Visit
from ..progress import Progress, Step
from ..unfold import UNMETERED, examine, settle, sum_terms
from ..values import checked
from . import layout as walk
from .constants import FAULT, GROW
from .kernels import Kernel, addresses
from .layout import REGIONS, RESULT
from .machine import Machine, build
from .memory import release, zeros
from .shapes import Definition

NODES, EDGES = 1 << 24, 1 << 26  # room at first; memory that is not written to is not used
DIRECT_KEYS = 1 << 28  # states that a direct table has room for
FEW = 16
STEPS = 1 << 20  # edges between two looks at progress and memory: 30 milliseconds
STRETCH = 1 << 20  # nodes, likewise, where a pass goes over all of them
_OPEN_NODES = (
    "open_start", "open_at", "open_definition", "open_words", "open_kind", "open_offset",
    "open_odds_error",
)  # fmt: skip
_OPEN_EDGES = ("number", "code")
_SOURCE = "gametree.compiler.native.search"
_search = Kernel(_SOURCE, "search", arguments=6)
_rehash = Kernel(_SOURCE, "rehash", arguments=7)
_rebook = Kernel(_SOURCE, "rebook", arguments=5)
_finish = Kernel(_SOURCE, "finish", arguments=4)
_depths = Kernel(_SOURCE, "depths", arguments=5)


class Unsure(Exception):
    """64 bits or a rounding error could make a difference: the exact engine must decide."""


@dataclass(slots=True, eq=False)
class ArrayDag:
    """``n`` nodes and ``m`` edges; see ``compiler.dag.Dag``, whose place it takes.

    What many nodes and edges have in common is kept once: ``offset_code`` and ``weight_code``
    are positions in the books ``amount`` (with errors ``amount_error``) and ``factor``. A weight
    is a probability (CHANCE; code 0 at a node's first edge: all are equal) or a factor (SUM).
    ``odds_error`` bounds how far a node's weights are off, all together. Payoffs of one value
    are one node; ``extra`` is how many nodes that saves.
    """

    kind: np.ndarray  # n, uint8
    first: np.ndarray  # n + 1, uint32
    child: np.ndarray  # m, int32
    weight_code: np.ndarray  # m, uint16 or uint32
    offset_code: np.ndarray  # n, int32
    odds_error: np.ndarray  # n, float32
    amount: np.ndarray
    amount_error: np.ndarray
    factor: np.ndarray
    extra: int
    states: States
    table: np.ndarray
    table_key: np.ndarray
    _size: Size | None = None

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.kind)

    def edges(self, node: int) -> range:
        """The edges of ``node``, in the order they were written."""
        return range(int(self.first[node]), int(self.first[node + 1]))

    def children(self, node: int) -> Any:
        """The children of ``node``, in the order they were written."""
        return iter(self.child[self.first[node] : self.first[node + 1]].tolist())

    def probability(self, node: int, edge: int) -> Fraction:
        """The odds of ``edge`` at chance node ``node``."""
        start, end = int(self.first[node]), int(self.first[node + 1])
        if self.weight_code[start] == 0:
            return Fraction(1, end - start)
        return Fraction(self.weight[edge]).limit_denominator(10**6)

    def size(self) -> Size:
        """How large the game is, payoffs counted where they are written; counted once."""
        if self._size is None:
            self._size = self._measured()
        return self._size

    def _measured(self) -> Size:
        terminals = int(np.count_nonzero(self.kind == Kind.TERMINAL))
        depth = np.empty(len(self), np.int32)
        for end in range(len(self), 0, -STRETCH):  # so that it can be interrupted
            _depths(self.first, self.child, max(0, end - STRETCH), end, depth)
        nodes = len(self) + self.extra
        return Size(nodes, len(self.child), terminals + self.extra, int(depth[0]))

    @property
    def weight(self) -> Coded:
        """The weight of each edge, as a float."""
        return Coded(self.weight_code, self.factor)

    @property
    def offset(self) -> Coded:
        """The payoff, constant or reward of each node, as a float."""
        return Coded(self.offset_code, self.amount)

    def states_of(self, node: NamedNode) -> tuple[np.ndarray, Rows]:
        """The states of a named node that play can reach, in the order of their keys.

        Returns:
            Their nodes in the DAG, and their arguments.
        """
        nodes, words = self.states.all_of(node, self)
        return nodes, Rows(self.states, node, words)

    @property
    def origin(self) -> Origins:
        """Where each node came from."""
        return Origins(self)


class Coded(Sequence[float]):
    """Numbers kept as positions in a book."""

    def __init__(self, codes: np.ndarray, book: np.ndarray) -> None:
        self.codes, self.book = codes, book

    def __len__(self) -> int:
        """How many there are."""
        return len(self.codes)

    def __getitem__(self, at: Any) -> Any:
        """The number at a position, or those of a slice."""
        found = self.book[self.codes[at]]
        return found.tolist() if isinstance(at, slice) else float(found)


class Rows(Sequence[tuple[Any, ...]]):
    """The arguments of many states; ``words`` has a row for each."""

    def __init__(self, states: States, node: NamedNode, words: np.ndarray) -> None:
        self.states, self.node, self.words = states, node, words
        self.definition = next((d for d in states.definitions if d.node is node), None)

    def __len__(self) -> int:
        """The number of states."""
        return len(self.words)

    def __getitem__(self, at: Any) -> Any:
        """The arguments of one state."""
        words = self.words[at].tolist()
        assert self.definition is not None
        return self.states.values(self.definition, words)


class Origins(Sequence[NodeOrigin]):
    """The origins of an ``ArrayDag``'s nodes, made when they are asked for."""

    def __init__(self, dag: ArrayDag) -> None:
        self.dag = dag

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.dag)

    def __getitem__(self, node: Any) -> Any:
        """The origin of ``node``: by its states, or else by its parent's."""
        dag, node = self.dag, int(node)
        slots = dag.states.slots_of(dag, node)
        if len(slots):
            return dag.states.origin(slots, dag)
        if node == 0:
            return dag.states.root_origin()
        edge = int(np.argmax(dag.child == node))
        parent = int(np.searchsorted(dag.first, edge, "right")) - 1
        form, env, owner = children_of(self[parent])[edge - int(dag.first[parent])]
        return NodeOrigin(form, env, owner)


def children_of(origin: NodeOrigin) -> list[tuple[Form, tuple[Any, ...], State | None]]:
    """The forms that a node's edges lead to."""
    if isinstance(origin.form, Choice):
        found = [(o.form, o.env) for o in outcomes(origin.form, origin.env)]
    elif isinstance(origin.form, Sum):
        found = [(form, env) for _, form, env in sum_terms(origin.form, origin.env)[1]]
    else:
        found = []
    return [(*pass_sums(*settle(form, env)), origin.owner) for form, env in found]


def pass_sums(form: Form, env: tuple[Any, ...]) -> tuple[Form, tuple[Any, ...]]:
    """Follow sums that add nothing to a single term, which are that term."""
    while isinstance(form, Sum):
        constant, terms = sum_terms(form, env)
        if constant or len(terms) != 1 or terms[0][0] != 1:
            break
        _, form, env = terms[0]
        if form.shared:
            break
    return form, env


def own_form(definition: Definition) -> Form | None:
    """The form that a definition is of, where it is not a named node's."""
    return definition.form if definition.node is None else None


def comes_to(definition: Definition, env: tuple[Any, ...]) -> tuple[Form, tuple[Any, ...]]:
    """What a state of ``definition`` is, behind its own ``if`` and ``let``."""
    form = definition.form
    if form is own_form(definition):
        env += (None,) * max(0, form.depth - len(env))
        if isinstance(form, Choose):
            form = form.yes if form.condition.run(env) else form.no
        elif isinstance(form, Bind):
            form, env = form.body, (*env, checked(form.value.run(env)))
    return pass_sums(*settle(form, env))


class States:
    """How keys are made of states and states of keys."""

    def __init__(self, machine: Machine, root: Form) -> None:
        self.definitions = machine.definitions
        self.root = root
        self.layout = _layout(machine.definitions)
        self.asked = 0
        self.turned: tuple[np.ndarray, np.ndarray] | None = None

    def root_origin(self) -> NodeOrigin:
        """The origin of a root that is no state."""
        return NodeOrigin(*pass_sums(*settle(self.root, ())), None)

    def slots_of(self, dag: ArrayDag, node: int) -> np.ndarray:
        """The slots of the table that hold ``node``.

        A few are looked for one by one; after that, the table is turned round once.
        """
        number = len(dag) - node
        self.asked += 1
        if self.asked <= FEW:
            parts = range(0, len(dag.table), STRETCH)  # a comparison of all would take memory
            found = [np.flatnonzero(dag.table[at : at + STRETCH] == number) + at for at in parts]
            return np.concatenate(found)
        if self.turned is None:
            slots = np.flatnonzero(dag.table > 0)
            order = np.argsort(dag.table[slots], kind="stable")
            slots = slots[order]
            self.turned = slots, dag.table[slots]
        slots, numbers = self.turned
        # keys of the array's own type: with others, the whole array would be converted each time
        start, end = np.searchsorted(numbers, np.array([number, number + 1], numbers.dtype))
        return slots[start:end]

    def origin(self, slots: np.ndarray, dag: ArrayDag) -> NodeOrigin:
        """The origin of a node that is one or more states."""
        states: list[State] = []
        found: tuple[Definition, tuple[Any, ...]] | None = None
        for slot in slots.tolist():
            definition, words = self.words(slot, dag)
            env = self.values(definition, words)
            if definition.node is not None:
                states.append((definition.node, env))
            if found is None or not self.passes_on(definition, env):
                found = definition, env
        assert found is not None
        definition, env = found
        owner = (definition.node, env) if definition.node is not None else None
        form, inner = comes_to(definition, env)
        states.sort(key=lambda state: state != owner)
        return NodeOrigin(form, inner, owner, states)

    def passes_on(self, definition: Definition, env: tuple[Any, ...]) -> bool:
        """Whether a state is only another name of the node."""
        form, _ = comes_to(definition, env)
        return isinstance(form, Visit) or (form.shared and form is not own_form(definition))

    def words(self, slot: int, dag: ArrayDag) -> tuple[Definition, list[int]]:
        """The definition and the words of the state in a slot of the table."""
        layout = self.layout
        if layout.key_words > 1:
            start = slot * layout.key_words
            number = int(dag.table_key[start])
            count = int(layout.words[number])
            return self.definitions[number], dag.table_key[start + 1 : start + 1 + count].tolist()
        key = slot if layout.direct else int(dag.table_key[slot])
        keyed = [d for d in self.definitions if d.keyed and layout.base[d.number] <= key]
        definition = max(keyed, key=lambda d: int(layout.base[d.number]))
        rest = key - int(layout.base[definition.number])
        words: list[int] = []
        for i in range(int(layout.words[definition.number])):
            part, rest = divmod(rest, int(layout.factor[definition.number, i]))
            words.append(part + int(layout.low[definition.number, i]))
        return definition, words

    def all_of(self, node: NamedNode, dag: ArrayDag) -> tuple[np.ndarray, np.ndarray]:
        """See ``ArrayDag.states_of``."""
        definition = next((d for d in self.definitions if d.node is node), None)
        if definition is None:
            return np.zeros(0, np.int64), np.zeros((0, 0), np.int64)
        number, layout = definition.number, self.layout
        count, slots = int(layout.words[number]), np.flatnonzero(dag.table > 0)
        if layout.key_words > 1:
            keys = dag.table_key.reshape(-1, layout.key_words)[slots]
            mine = keys[:, 0] == number
            slots, words = slots[mine], keys[mine, 1 : 1 + count]
            order = np.lexsort(words.T[::-1]) if count else np.arange(len(slots))
            return len(dag) - dag.table[slots[order]].astype(np.int64), words[order]
        key = slots if layout.direct else dag.table_key[slots]
        later = [int(layout.base[d.number]) for d in self.definitions if d.keyed]
        start = int(layout.base[number])
        end = min([base for base in later if base > start], default=2**63 - 1)
        mine = (key >= start) & (key < end)
        slots, rest = slots[mine], key[mine] - start
        order = np.argsort(rest, kind="stable")
        slots, rest = slots[order], rest[order]
        words = np.empty((len(slots), count), np.int64)
        for i in range(count):
            part, rest = np.divmod(rest, int(layout.factor[number, i]))
            words[:, i] = part + int(layout.low[number, i])
        return len(dag) - dag.table[slots].astype(np.int64), words

    def values(self, definition: Definition, words: Sequence[int]) -> tuple[Any, ...]:
        """A state's arguments from its words."""
        at, found = 0, []
        for shape in definition.shapes:
            value, at = _value(shape, words, at)
            found.append(value)
        return tuple(found)


def _value(shape: tuple[Any, ...], words: Sequence[int], at: int) -> tuple[Any, int]:
    if shape[0] == "int":
        return int(words[at]), at + 1
    if shape[0] == "truth":
        return bool(words[at]), at + 1
    if shape[0] == "real":
        return float(np.int64(words[at]).view(np.float64)), at + 2
    if shape[0] == "span":
        return range(int(words[at]), int(words[at + 1]) + 1), at + 2
    if shape[0] == "static":
        return None, at
    items: list[Any] = []
    item = shape[2]
    inner = ("truth",) if item.kind == "truth" else ("int", None, None)
    if item.kind == "list":
        inner = ("list", item.length, item.item)
    for _ in range(shape[1]):
        value, at = _value(inner, words, at)
        items.append(value)
    return tuple(items), at


def _layout(definitions: list[Definition]) -> walk.Layout:
    """Keys: one number for each state where all ranges are known, else the words themselves."""
    count, widest = len(definitions), max(1, *(d.words for d in definitions))
    base = np.zeros(count, np.int64)
    factor = np.zeros((count, widest), np.int64)
    low = np.zeros((count, widest), np.int64)
    keyed = np.array([d.keyed for d in definitions], np.uint8)
    words = np.array([d.words for d in definitions], np.int64)
    total, packed = 0, True
    for definition in definitions:
        if not definition.keyed:
            continue
        ranges = definition.ranges()
        if ranges is None:
            packed = False
            break
        base[definition.number] = total if total < 2**62 else 0
        size = 1
        for i, (first, last) in reversed(list(enumerate(ranges))):
            if size >= 2**62:
                break
            factor[definition.number, i], low[definition.number, i] = size, first
            size *= max(1, last - first + 1)
        total += size
        if total >= 2**62:
            packed = False
            break
    most = max([d.words for d in definitions if d.keyed], default=0)
    direct = packed and total <= DIRECT_KEYS
    return (
        walk.Layout(keyed, words, base, factor, low, 1 if packed else most + 1, int(direct))
        if not packed or not direct
        else walk.Layout(keyed, words, base, factor, low, 1, max(total, 1))
    )


def unfold_native(
    program: Program,
    *,
    at: Form | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> ArrayDag:
    """Unfold ``program`` by machine code: some 20 ns an edge.

    Args and errors as for ``compiler.unfold.unfold``.

    Raises:
        Unsupported: Where machine code cannot express the game.
        Unsure: Where a number outgrows 64 bits or a double cannot tell two numbers apart.
    """
    form = at or program.root
    machine = build(program, form)
    dag = _Walk(program, machine, form, limits or Limits(), progress).run()
    program.names.meter.left = UNMETERED  # labels are made again, of states that made sense
    return dag


class _Walk:
    """One unfolding: its arrays, and what is done when they are full."""

    def __init__(
        self,
        program: Program,
        machine: Machine,
        root: Form,
        limits: Limits,
        progress: Progress | None,
    ) -> None:
        self.program = program
        self.machine = machine
        self.limits = limits
        self.progress = progress
        self.states = States(machine, root)
        self.layout = self.states.layout
        self.words = max([1, *(d.words for d in machine.definitions)])  # of an open node
        self.counters = np.zeros(walk.COUNTERS, np.int64)
        self.counters[walk.AMOUNTS] = self.counters[walk.WEIGHTS] = 1
        self.arrays = self.first_arrays()

    def first_arrays(self) -> walk.Arrays:
        width, stride, layout = self.layout.key_words, self.machine.stride, self.layout
        entries, levels = 1 << 7, 1 << 10
        hashed = 0 if layout.direct else 1 << 16
        return walk.Arrays(
            entry_definition=zeros(entries * REGIONS, np.int32),
            entry_weight=zeros(entries * REGIONS, np.float64),
            entry_words=zeros(entries * REGIONS * stride, np.int64),
            result=zeros(RESULT * REGIONS, np.float64),
            owner=np.full(REGIONS, -1, np.int64),
            open_start=zeros(levels, np.uint32),
            open_at=zeros(levels, np.int32),
            open_definition=zeros(levels, np.int32),
            open_words=zeros(levels * self.words, np.int64),
            open_kind=zeros(levels, np.uint8),
            open_offset=zeros(levels, np.int32),
            open_odds_error=zeros(levels, np.float32),
            number=zeros(1 << 12, np.int32),
            code=zeros(1 << 12, np.uint32),
            kind=zeros(NODES, np.uint8),
            first=zeros(NODES + 1, np.uint32),
            offset=zeros(NODES, np.int32),
            odds_error=zeros(NODES, np.float32),
            child=zeros(EDGES, np.int32),
            weight=zeros(EDGES, np.uint16),
            amount=zeros(1 << 10, np.float64),
            amount_error=zeros(1 << 10, np.float64),
            amount_node=zeros(1 << 10, np.int32),
            amount_table=zeros(1 << 11, np.int32),
            factor=zeros(1 << 14, np.float64),
            factor_table=zeros(1 << 15, np.int32),
            table=zeros(layout.direct or hashed, np.int32, sparse=True),
            table_key=zeros(hashed * width, np.int64),
        )

    def run(self) -> ArrayDag:
        a, counters = self.arrays, self.counters
        a.owner[0], a.open_start[1] = 0, 1  # below the root: one entry, the root itself
        layout = addresses(self.layout[:5])
        key = np.zeros(self.layout.key_words, np.int64)
        while True:
            arrays = addresses(self.arrays)
            sizes = np.array([len(array) for array in self.arrays], np.int64)
            status = _search(self.settings(), layout, arrays, sizes, counters, key)
            if status == walk.DONE:
                self.check_memory()  # solving is still to come
                return self.finished()
            self.attend(status)
            if self.progress is not None:
                nodes, still_open = int(counters[walk.NODES]), int(counters[walk.DEPTH])
                self.progress(Step(False, nodes, still_open, int(counters[walk.EDGES])))

    def settings(self) -> np.ndarray:
        """What the walk has to know besides its arrays, in the order of ``layout``."""
        layout = self.layout
        values = [
            self.machine.address, self.machine.stride, self.words,
            len(layout.keyed), layout.factor.shape[1],
            layout.key_words, layout.direct, self.arrays.weight.dtype == np.uint32,
            self.most_states(), self.limits.work * 100, STEPS,
        ]  # fmt: skip
        return np.array(values, np.int64)

    # --- between two stretches ---

    def attend(self, status: int) -> None:
        """Make room, or say what is wrong."""
        if status == walk.PAUSE:
            self.check_memory()
            self.give_back()
        elif status == walk.OPEN_SPACE:
            full = int(self.counters[walk.DEPTH]) + 3 > len(self.arrays.open_start)
            self.grow(_OPEN_NODES if full else _OPEN_EDGES, 8)  # what is not used takes nothing
        elif status == GROW:
            self.widen()
        elif status == walk.KEY_SPACE:
            self.rehash()
        elif status == walk.AMOUNT_SPACE:
            self.grow(("amount", "amount_error", "amount_node"))
            self.grow_book("amount_table", self.arrays.amount)
        elif status == walk.WEIGHT_SPACE:
            self.grow(("factor",))
            self.grow_book("factor_table", self.arrays.factor)
            if len(self.arrays.factor) > np.iinfo(self.arrays.weight.dtype).max:
                wider = self.arrays.weight.astype(np.uint32)
                self.arrays = self.arrays._replace(weight=wider)
        elif status == walk.NODE_SPACE:
            self.grow_from_start(("kind", "first", "offset", "odds_error"))
        elif status == walk.EDGE_SPACE:
            self.grow_from_start(("child", "weight"))
        elif status == walk.CYCLE:
            raise self.cycle()
        elif status == walk.STATES:
            raise SpecError([self.too_many()])
        elif status in {FAULT, walk.WORK}:
            self.look_closer()
            raise Unsure
        else:
            raise Unsure

    def grow(self, names: Sequence[str], times: int = 2) -> None:
        """So many times the room in some arrays."""
        for name in names:  # one after the other: the old ones are not kept meanwhile
            longer = _longer(getattr(self.arrays, name), times)
            self.arrays = self.arrays._replace(**{name: longer})

    def grow_book(self, name: str, book: np.ndarray) -> None:
        """Twice the room in the hash table of a book."""
        table = getattr(self.arrays, name)
        bigger = zeros(2 * len(table), np.int32)
        _rebook(table, len(table) - 1, book, bigger, len(bigger) - 1)
        self.arrays = self.arrays._replace(**{name: bigger})

    def give_back(self) -> None:
        """Give back the memory of levels that the walk has come back from."""
        a, depth = self.arrays, int(self.counters[walk.DEPTH])
        children = int(a.open_start[depth + 1])
        room = {"open_words": (depth + 2) * self.words, "number": children, "code": children}
        for name in _OPEN_NODES + _OPEN_EDGES:
            release(getattr(a, name), room.get(name, depth + 2))

    def check_memory(self, more: int = 0) -> None:
        """Stop before the memory that is allowed is used up; ``more`` bytes are to be taken."""
        used, allowed = self.memory(), self.limits.bytes
        if used + more > allowed:
            n, m = int(self.counters[walk.NODES]), int(self.counters[walk.EDGES])
            place = self.states.root.place()
            raise SpecError([too_much_memory(n, m, used, allowed, place)])

    def memory(self) -> int:
        """Bytes in use, or those that solving will use: whatever is more.

        Solving takes 12 bytes a node, but the open levels are gone by then.
        """
        n, m = int(self.counters[walk.NODES]), int(self.counters[walk.EDGES])
        a, depth = self.arrays, int(self.counters[walk.DEPTH])
        levels = (depth + 2) * (21 + 8 * self.words) + 8 * int(a.open_start[depth + 1])
        kept = n * 13 + m * (4 + a.weight.itemsize) + a.table.nbytes + a.table_key.nbytes
        return kept + max(n * 12, levels)

    def widen(self) -> None:
        """Twice the room for a node's entries; those of all but the lowest level are lost."""
        self.grow(("entry_definition", "entry_weight", "entry_words"))
        self.arrays.owner[:] = -1
        if int(self.counters[walk.DEPTH]) < REGIONS:
            self.arrays.owner[0] = 0  # one entry, at the start of its region as before

    def rehash(self) -> None:
        """Twice the room for keys."""
        a = self.arrays
        self.check_memory(2 * (a.table.nbytes + a.table_key.nbytes))
        table = zeros(2 * len(a.table), np.int32)
        table_key = zeros(2 * len(a.table_key), np.int64)
        width = self.layout.key_words
        _rehash(a.table, a.table_key, len(a.table) - 1, table, table_key, len(table) - 1, width)
        self.arrays = a._replace(table=table, table_key=table_key)

    def grow_from_start(self, names: Sequence[str]) -> None:
        """Twice the room in arrays that are filled from the end."""
        for name in names:
            old = getattr(self.arrays, name)
            self.check_memory(old.nbytes)
            room = len(old) - (name == "first")  # which has one more than there are nodes
            new = zeros(len(old) + room, old.dtype)
            new[room:] = old
            self.arrays = self.arrays._replace(**{name: new})

    def state_and_owner(self, depth: int) -> tuple[Form, tuple[Any, ...], State | None]:
        """The form and local values of an open node, and the named state it is in."""
        form, env, owner = self.state_at(depth)
        while owner is None and depth > 1:
            depth -= 1
            _, _, owner = self.state_at(depth)
        return form, env, owner

    def look_closer(self) -> None:
        """Say what is wrong with the state at hand, one below the last open node."""
        depth = int(self.counters[walk.DEPTH])
        for at in (depth, depth + 1):  # its parent says in which branch
            if at > 0:
                form, env, owner = self.state_and_owner(at)
                examine(self.program, form, env, owner, self.limits)

    def state_at(self, depth: int) -> tuple[Form, tuple[Any, ...], State | None]:
        """The form, local values and state of an open node."""
        a, start = self.arrays, depth * self.words
        definition = self.machine.definitions[int(a.open_definition[depth])]
        words = a.open_words[start : start + definition.words].tolist()
        env = self.states.values(definition, words)
        owner = (definition.node, env) if definition.node is not None else None
        return definition.form, env, owner

    def entry_at_hand(self) -> tuple[Form, tuple[Any, ...], State | None]:
        """The state that the last open node is about to move to."""
        return self.state_at(int(self.counters[walk.DEPTH]) + 1)

    def open_states(self, start: int) -> list[tuple[int, State | None, Form, tuple[Any, ...]]]:
        """The open nodes from depth ``start``: which of its entries each is at, and its state."""
        found = []
        for depth in range(max(start, 1), int(self.counters[walk.DEPTH]) + 1):
            form, env, owner = self.state_at(depth)
            found.append((int(self.arrays.open_at[depth]), owner, form, env))
        return found

    def depth_of_same(self) -> int:
        """The depth at which the entry at hand, one below the last open node, is open already."""
        a, below = self.arrays, int(self.counters[walk.DEPTH]) + 1
        words = a.open_words[: (below + 1) * self.words].reshape(below + 1, -1)
        count = self.machine.definitions[int(a.open_definition[below])].words
        same = (words[:below, :count] == words[below, :count]).all(axis=1)
        same &= a.open_definition[:below] == a.open_definition[below]
        return int(np.flatnonzero(same[1:])[-1]) + 1

    def cycle(self) -> SpecError:
        """The report of the cycle that the entry at hand closes."""
        form, _, owner = self.entry_at_hand()
        path: list[str] = []
        place: Place | None = None
        for at, state, f, e in self.open_states(self.depth_of_same()):
            settled, inner = settle(f, e)
            labels = NodeOrigin(settled, inner, None).labels()
            if labels and place is None:
                place = settled.place()
            title = state_title(*state) if state else ""
            path.append(" ".join(p for p in (title, f'("{labels[at]}")' if labels else "") if p))
        path.append(state_title(*owner) if owner else path[0])
        if place is None:
            place = owner[0].place() if owner else form.place()
        return SpecError([round_in_circles(place, [step for step in path if step])])

    def most_states(self) -> int:
        """How many nodes and open states there may be."""
        return self.limits.native_states(bounded=self.layout.key_words == 1)

    def too_many(self) -> Any:
        """The report of a game beyond the limit."""
        origins = [
            NodeOrigin(form, env, state, [state] if state else [])
            for _, state, form, env in self.open_states(int(self.counters[walk.DEPTH]) - 4000)
        ]
        form, _, _ = self.entry_at_hand()
        return too_many_states(origins, self.most_states(), form.place())

    def finished(self) -> ArrayDag:
        """The arrays in their final form."""
        a, counters = self.arrays, self.counters
        n, m = int(counters[walk.NODES]), int(counters[walk.EDGES])
        total, edges = len(a.kind), len(a.child)
        first, child = a.first[total - n : total + 1], a.child[edges - m :]
        _finish(child, first, n, m)
        extra = int(counters[walk.PAYOFFS] - counters[walk.MERGED])
        amounts, weights = int(counters[walk.AMOUNTS]), int(counters[walk.WEIGHTS])
        return ArrayDag(
            kind=a.kind[total - n :],
            first=first,
            child=child,
            weight_code=a.weight[edges - m :],
            offset_code=a.offset[total - n :],
            odds_error=a.odds_error[total - n :],
            amount=a.amount[:amounts],
            amount_error=a.amount_error[:amounts],
            factor=a.factor[:weights],
            extra=extra,
            states=self.states,
            table=a.table,
            table_key=a.table_key,
        )


def _longer(old: np.ndarray, times: int) -> np.ndarray:
    new = zeros(len(old) * times, old.dtype)
    new[: len(old)] = old
    return new
