"""Players by name: what a file calls those who choose at each kind of node.

``players: {max: you, min: dealer}`` lets ``--play dealer=random`` stand for ``min=random``, and
reports speak of the dealer. A kind of node has one player at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..spec.diagnostics import Code, Diagnostic, UsageError
from ..spec.document import Document, expectations
from ..spec.suggest import did_you_mean
from .behaviour import KINDS, parse_behaviour


def players_of(document: Document) -> dict[str, str]:
    """The names in the file, by kind of node."""
    players = document.data.get("players")
    given = players.items() if isinstance(players, dict) else ()
    return {kind: name for kind, name in given if kind in KINDS and isinstance(name, str)}


def kind_of(name: str, players: Mapping[str, str]) -> str:
    """The kind of node that ``name`` is, or whose player it is.

    Raises:
        UsageError: If it is neither.
    """
    if name in KINDS:
        return name
    for kind, player in players.items():
        if player == name:
            return kind
    known = [*KINDS, *players.values()]
    listed = "the kinds are max, min and chance"
    if players:
        listed += f", and the players {' and '.join(players.values())}"
    hint = did_you_mean(name, known) or listed
    raise UsageError(f"unknown kind of node `{name}`", hint)


def by_kind(play: Mapping[str, str], players: Mapping[str, str]) -> dict[str, str]:
    """``play`` with kinds of node in place of players' names.

    Raises:
        UsageError: If a name is unknown, or two stand for the same kind.
    """
    plays: dict[str, str] = {}
    for name, behaviour in play.items():
        kind = kind_of(name, players)
        if kind in plays:
            raise UsageError(f"the play of {kind} is given twice")
        plays[kind] = behaviour
    return plays


def player_problems(document: Document) -> Iterator[Diagnostic]:
    """What is wrong with the names of players, and with ``play`` in the file's expectations."""
    players = players_of(document)
    yield from _name_problems(document, players)
    policies = document.data.get("policies")
    names = list(policies) if isinstance(policies, dict) else []
    for entry in expectations(document):
        play = entry.get("play")
        if not isinstance(play, dict):
            continue
        for name, text in play.items():
            place = document.key_place(play, name)
            try:
                kind = kind_of(name, players)
                place = document.value_place(play, name)
                parse_behaviour(kind, str(text), names)
            except UsageError as error:
                yield Diagnostic(Code.UNKNOWN_CHOICE, place, error.message, help=error.help)


def _name_problems(document: Document, players: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Names that do not tell who is meant."""
    given = document.data.get("players")
    seen: dict[str, str] = {}
    for kind, name in players.items():
        if name in seen:
            message = f"`{name}` is the player of both {seen[name]} and {kind}"
        elif name in KINDS and name != kind:
            message = f"the player of {kind} is called `{name}`, which is a kind of node"
        elif not name.strip() or "=" in name:
            message = f"`{name}` is no name for a player: a name is a text without `=`"
        else:
            seen[name] = kind
            continue
        if isinstance(given, dict):
            place = document.value_place(given, kind)
            yield Diagnostic(
                Code.DUPLICATE_NAME, place, message, help="give each player a name of their own"
            )
