"""Classes of data that cost little to define.

``dataclass`` and ``field`` mean what the standard library's mean, with slots always. Theirs
compile up to six functions for each class, half a millisecond a class, used or not; all of this
package's classes together would take a third of a small command's time. Here ``__init__`` is
compiled when the first object is made, and the other methods are shared by all classes.

Holds   a frozen object refuses assignment; objects are equal if their classes and their compared
        fields are; ``dataclasses.replace``, ``fields`` and ``asdict`` work on the objects.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, Literal, NoReturn, TypeVar, dataclass_transform, overload

T = TypeVar("T")
_MISSING: Any = object()
_FIELDS = "__record_fields__"


class Field:
    """One field of a class: its name, and what ``field`` was told."""

    __slots__ = ("compare", "default", "factory", "kw_only", "name", "repr")

    def __init__(
        self,
        default: Any,
        factory: Any,
        repr: bool,  # noqa: A002
        compare: bool,
        kw_only: bool | None,
    ) -> None:
        self.name = ""
        self.default = default
        self.factory = factory
        self.repr = repr
        self.compare = compare
        self.kw_only = kw_only


@overload
def field(*, default: T, repr: bool = ..., compare: bool = ..., kw_only: bool = ...) -> T: ...
@overload
def field(
    *, default_factory: Callable[[], T], repr: bool = ..., compare: bool = ..., kw_only: bool = ...
) -> T: ...
def field(
    *,
    default: Any = _MISSING,
    default_factory: Any = _MISSING,
    repr: bool = True,  # noqa: A002
    compare: bool = True,
    kw_only: bool | None = None,
) -> Any:
    """A field that has more to say than its type and its default."""
    return Field(default, default_factory, repr, compare, kw_only)


def fields(of: Any) -> tuple[Field, ...]:
    """The fields of a class of data, or of an object of one."""
    return tuple(getattr(of, _FIELDS).values())


def replace(record: T, **changes: Any) -> T:
    """A copy of an object of such a class, some of its fields changed."""
    kept = {one.name: getattr(record, one.name) for one in fields(record)}
    return type(record)(**(kept | changes))


@dataclass_transform(field_specifiers=(field, Field))
def dataclass(
    *,
    frozen: bool = False,
    slots: Literal[True] = True,
    eq: bool = True,
    repr: bool = True,  # noqa: A002
    kw_only: bool = False,
) -> Callable[[type[T]], type[T]]:
    """Make a class one of data: its annotated names are the fields of its objects."""
    del slots  # said for the type checker

    def make(plain: type[T]) -> type[T]:
        return _make(plain, frozen=frozen, eq=eq, repr=repr, kw_only=kw_only)

    return make


def _make(plain: type[T], *, frozen: bool, eq: bool, repr: bool, kw_only: bool) -> type[T]:  # noqa: A002
    """``plain`` anew, with slots: a class that exists cannot be given any."""
    own = _own_fields(plain, kw_only)
    namespace = {
        name: value
        for name, value in vars(plain).items()
        if name not in own and name not in ("__dict__", "__weakref__")
    }
    every: dict[str, Field] = {}
    for base in reversed(plain.__mro__[1:]):
        every |= vars(base).get(_FIELDS, {})
    every |= own
    namespace[_FIELDS] = every
    namespace["__slots__"] = tuple(own)
    namespace["__match_args__"] = tuple(name for name, one in every.items() if not one.kw_only)
    namespace["__dataclass_fields__"] = _STANDARD_FIELDS
    methods: dict[str, Any] = {"__repr__": _repr} if repr else {}
    if eq:
        compared = [name for name, one in every.items() if one.compare]
        namespace["__record_key__"] = attrgetter(*compared) if compared else type
        methods |= {"__eq__": _eq, "__hash__": _hash if frozen else None}
    if frozen:
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
    for name, method in methods.items():
        namespace.setdefault(name, method)
    made: Any = type(plain)(plain.__name__, plain.__bases__, namespace)
    made.__qualname__ = plain.__qualname__
    if "__init__" not in namespace:
        made.__init__ = _init_later(made, frozen)
    return made


def _own_fields(plain: type, kw_only: bool) -> dict[str, Field]:
    own: dict[str, Field] = {}
    for name, annotation in plain.__annotations__.items():
        if annotation.startswith("ClassVar"):
            continue
        given = vars(plain).get(name, _MISSING)
        one = given if isinstance(given, Field) else Field(given, _MISSING, True, True, None)
        one.name = name
        one.kw_only = kw_only if one.kw_only is None else one.kw_only
        own[name] = one
    return own


def _init_later(made: Any, frozen: bool) -> Callable[..., None]:
    def __init__(self: object, *arguments: Any, **named: Any) -> None:  # noqa: N807
        made.__init__ = _init(made, frozen)
        made.__init__(self, *arguments, **named)

    return __init__


def _init(made: Any, frozen: bool) -> Callable[..., None]:
    """The ``__init__`` of ``made``, written out and compiled."""
    context: dict[str, Any] = {"_missing": _MISSING, "_set": object.__setattr__}
    parts: tuple[list[str], list[str]] = ([], [])
    body: list[str] = []
    for name, one in made.__record_fields__.items():
        parts[bool(one.kw_only)].append(_parameter(one, context))
        value = name
        if one.factory is not _MISSING:
            value = f"_factory_{name}() if {name} is _missing else {name}"
        body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    by_place, by_name = parts
    parameters = ", ".join(["self", *by_place, *(["*", *by_name] if by_name else [])])
    text = "\n ".join([f"def __init__({parameters}):", *(body or ["pass"])])
    exec(text, context)  # noqa: S102 - names of fields, out of our own files
    context["__init__"].__qualname__ = f"{made.__qualname__}.__init__"
    return context["__init__"]


def _parameter(one: Field, context: dict[str, Any]) -> str:
    if one.factory is not _MISSING:
        context[f"_factory_{one.name}"] = one.factory
        return f"{one.name}=_missing"
    if one.default is not _MISSING:
        context[f"_default_{one.name}"] = one.default
        return f"{one.name}=_default_{one.name}"
    return one.name


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _eq(self: Any, other: object) -> bool:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self.__record_key__(self) == self.__record_key__(other)


def _hash(self: Any) -> int:
    return hash(self.__record_key__(self))


def _refuse(self: object, name: str, value: object = None) -> NoReturn:
    del value
    raise AttributeError(f"{type(self).__qualname__} objects do not change: {name}")


class _StandardFields:
    """The fields as the standard library knows them, for its functions; made when asked for."""

    def __get__(self, _: object, owner: Any) -> dict[str, Any]:
        import dataclasses

        known = [
            (one.name, Any, dataclasses.field(repr=one.repr, compare=one.compare, kw_only=True))
            for one in fields(owner)
        ]
        standard: Any = dataclasses.make_dataclass(owner.__name__, known)
        owner.__dataclass_fields__ = standard.__dataclass_fields__
        return standard.__dataclass_fields__


_STANDARD_FIELDS = _StandardFields()
