"""Pictures from DOT text, by Graphviz's ``dot`` program.

Nothing is looked for or started before a picture is asked for. The picture replaces the file
at its path in one step, or the path is left as it was.
"""

from __future__ import annotations

import os

FORMATS = ("svg", "png", "pdf")
_TIMEOUT = 60.0
_INSTALL = (
    "drawing needs Graphviz's `dot`, which was not found; install it"
    " (Debian, Ubuntu: `apt-get install graphviz`; Fedora: `dnf install graphviz`;"
    " macOS: `brew install graphviz`; Windows: `winget install graphviz`),"
    " or write an .svg file, which needs no Graphviz"
)


class GraphvizError(Exception):
    """No picture was made; the text says why and what to do."""


def render_graphviz(dot_text: str, output_path: str, *, timeout: float = _TIMEOUT) -> None:
    """Write a picture of ``dot_text`` to ``output_path``; its suffix names the format.

    ``.svg``, ``.png`` and ``.pdf`` are drawn by ``dot``; ``.dot`` and ``.gv`` take the text
    itself. ``timeout`` is in seconds.

    Raises:
        GraphvizError: For another suffix, without ``dot``, when it fails or takes longer than
            ``timeout``, and when the file cannot be written.
    """
    suffix = os.path.splitext(output_path)[1].lower().removeprefix(".")
    if suffix in ("dot", "gv"):
        picture = dot_text.encode()
    elif suffix in FORMATS:
        picture = graphviz_picture(dot_text, suffix, timeout=timeout)
    else:
        known = ", ".join(f".{name}" for name in (*FORMATS, "dot"))
        message = f"cannot tell the format of `{output_path}` by its name: use {known}"
        raise GraphvizError(message)
    try:
        _write(output_path, picture)
    except OSError as error:
        message = f"cannot write `{output_path}`: {error.strerror or error}"
        raise GraphvizError(message) from error


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


def _write(path: str, content: bytes) -> None:
    import tempfile

    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as device:  # /dev/stdout, a pipe: nothing there to replace
            device.write(content)
        return
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".gametree-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _mode(target: str) -> int:
    """The permissions of the file to be replaced, or those a new file gets."""
    if os.path.exists(target):
        return os.stat(target).st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
