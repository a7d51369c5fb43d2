"""What shows itself in a notebook: games, solutions, answers and tables."""

from __future__ import annotations

from collections.abc import Collection


class Shown:
    """A mixin: Jupyter asks an object for the ways in which it can be shown.

    What makes them is ``render.notebook``. It is looked up by name when a notebook asks, because
    nothing here imports what comes after it.
    """

    __slots__ = ()

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """For each media type what shows this object, labels as text; IPython's protocol."""
        from importlib import import_module

        bundle: dict[str, str] = import_module("..render.notebook", __package__).bundle(self)
        return {
            media: text
            for media, text in bundle.items()
            if (include is None or media in include) and (exclude is None or media not in exclude)
        }
