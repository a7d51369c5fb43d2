"""Shell completion: the script a shell loads, and the names it can complete.

These functions run at each press of the tab key, so they list names and read no game.
"""

from __future__ import annotations

import typer
from typer import completion as _completion

SHELLS = ("bash", "fish", "powershell", "pwsh", "zsh")


def prepare() -> None:
    """Make the shells known; done only in a process that a shell started to complete."""
    _completion.completion_init()  # pyright: ignore[reportPrivateImportUsage]


def script(program: str, shell: str) -> str:
    """What ``shell`` has to load to complete ``program``.

    Raises:
        BadParameter: If the shell is not a known one.
    """
    if shell not in SHELLS:
        message = f"{shell!r} is not one of {', '.join(SHELLS)}."
        raise typer.BadParameter(message, param_hint="--show-completion")
    return _completion.get_completion_script(  # pyright: ignore[reportPrivateImportUsage]
        prog_name=program, complete_var=f"_{program.upper()}_COMPLETE", shell=shell
    )


def trees(incomplete: str) -> list[str]:
    """The bundled games that begin with ``incomplete``."""
    from ..spec.reader import bundled_names

    return [name for name in bundled_names() if name.startswith(incomplete)]


def paths_and_trees(incomplete: str) -> list[str]:
    """The bundled games and the files and folders that begin with ``incomplete``."""
    import glob
    import os

    found = glob.glob(f"{glob.escape(incomplete)}*")
    files = [f"{path}{os.sep}" if os.path.isdir(path) else path for path in found]
    return [*trees(incomplete), *sorted(files)]


def codes(incomplete: str) -> list[str]:
    """The codes of diagnostics that begin with ``incomplete``."""
    from ..spec.diagnostics import Code

    return [code.value for code in Code if code.value.startswith(incomplete.upper())]


def algorithms(incomplete: str) -> list[str]:
    """The algorithms that begin with ``incomplete``."""
    from ..evaluator.behaviour import ALGORITHMS

    return [name for name in ALGORITHMS if name.startswith(incomplete)]
