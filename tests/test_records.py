"""Classes of data behave as the standard library's do, and write ``__init__`` when it is needed."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import pytest
from gametree.spec import records


@records.dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    start: int = records.field(default=0, compare=False)

    def shifted(self) -> int:
        return self.start + 1


@records.dataclass(frozen=True, slots=True)
class Pair(Base):
    """Two things."""

    SIGNS: ClassVar = ("a", "b")
    left: int
    right: str = "r"


@records.dataclass(slots=True)
class Bag:
    items: list[int] = records.field(default_factory=list[int])
    hidden: int = records.field(default=1, repr=False)


@records.dataclass(slots=True, eq=False, repr=False)
class Plain:
    bag: Bag


@records.dataclass(frozen=True, slots=True)
class Nothing:
    pass


def test_fields_come_by_place_by_name_and_by_default():
    pair = Pair(1, start=5)

    assert (pair.left, pair.right, pair.start, pair.shifted()) == (1, "r", 5, 6)
    assert Pair(left=2, right="x").right == "x"
    assert Pair.SIGNS == ("a", "b")


@pytest.mark.parametrize("wrong", [{}, {"left": 1, "middle": 2}])
def test_wrong_arguments_are_refused(wrong: dict[str, int]):
    """The first time, and when `__init__` has been written."""
    for _ in range(2):
        with pytest.raises(TypeError, match="Pair"):
            Pair(**wrong)
    with pytest.raises(TypeError):
        Pair(1, "r", 0)  # pyright: ignore[reportCallIssue]


def test_every_object_has_a_container_of_its_own():
    first, second = Bag(), Bag()
    first.items.append(1)

    assert second.items == []


def test_equality_is_of_the_class_and_the_compared_fields():
    assert Pair(1, start=5) == Pair(1, start=6)
    assert hash(Pair(1, start=5)) == hash(Pair(1, start=6))
    assert Pair(1) != Pair(2)
    assert Pair(1) != (1, "r")
    assert Nothing() == Nothing()
    assert len({Nothing(), Nothing()}) == 1
    assert Plain(Bag()) != Plain(Bag())


def test_what_can_change_cannot_be_hashed():
    assert Bag([1]) == Bag([1])
    with pytest.raises(TypeError, match="unhashable"):
        hash(Bag())


def test_frozen_objects_do_not_change():
    pair = Pair(1)
    with pytest.raises(AttributeError):
        pair.left = 2  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(AttributeError):
        del pair.left
    with pytest.raises(AttributeError):
        Bag().more = 2  # pyright: ignore[reportAttributeAccessIssue]


def test_objects_are_shown_with_their_fields():
    """One inside itself is cut short."""
    assert repr(Pair(1)) == "Pair(start=0, left=1, right='r')"
    assert repr(Bag([1])) == "Bag(items=[1])"
    assert repr(Plain(Bag())).startswith("<")


def test_classes_match_by_place():
    match Pair(1, "x"):
        case Pair(left, right):
            assert (left, right) == (1, "x")


def test_a_copy_differs_where_it_is_told_to():
    assert records.replace(Pair(1, "x", start=3), left=2) == Pair(2, "x")
    assert records.replace(Pair(1, "x", start=3), left=2).start == 3


def test_the_standard_library_knows_the_fields():
    pair = Pair(1, "x", start=3)

    assert [field.name for field in records.fields(pair)] == ["start", "left", "right"]
    assert [field.name for field in dataclasses.fields(Pair)] == ["start", "left", "right"]
    assert dataclasses.replace(pair, left=2) == Pair(2, "x")
    assert dataclasses.replace(pair, left=2).start == 3
    assert dataclasses.asdict(Bag([1])) == {"items": [1], "hidden": 1}
    assert dataclasses.is_dataclass(Bag)
