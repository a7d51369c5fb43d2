"""Pictures from DOT text, by Graphviz's ``dot`` program.

Nothing is looked for or started before a picture is asked for.
"""

from __future__ import annotations

_TIMEOUT = 60.0
_INSTALL = (
    "drawing needs Graphviz's `dot`, which was not found; install it"
    " (Debian, Ubuntu: `apt-get install graphviz`; Fedora: `dnf install graphviz`;"
    " macOS: `brew install graphviz`; Windows: `winget install graphviz`),"
    " or write an .svg file, which needs no Graphviz"
)


class GraphvizError(Exception):
    """No picture was made; the text says why and what to do."""


def graphviz_picture(dot_text: str, suffix: str, *, timeout: float = _TIMEOUT) -> bytes:
    """A picture of ``dot_text`` as ``svg``, ``png`` or ``pdf``.

    Raises:
        GraphvizError: Without ``dot``, when it fails or takes longer than ``timeout`` seconds.
    """
    import shutil
    import subprocess

    program = shutil.which("dot")
    if program is None:
        raise GraphvizError(_INSTALL)
    try:
        done = subprocess.run(  # noqa: S603 -- a fixed command; the text goes through stdin
            [program, f"-T{suffix}"],
            input=dot_text.encode(),
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except FileNotFoundError:
        raise GraphvizError(_INSTALL) from None
    except subprocess.TimeoutExpired:
        message = f"`dot` took longer than {timeout:g} s; draw fewer nodes with --max-nodes"
        raise GraphvizError(message) from None
    except OSError as error:
        message = f"cannot run `dot`: {error.strerror or error}"
        raise GraphvizError(message) from error
    if done.returncode != 0 or not done.stdout:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        message = f"`dot` failed: {said[0] if said else f'exit status {done.returncode}'}"
        raise GraphvizError(message)
    return done.stdout
