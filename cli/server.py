"""An HTTP server of one page, on loopback only, which tells its readers when the page changes.

Paths   ``/`` the page, or what is wrong with the file; ``/last`` the last good page; ``/events``
        a stream with a message for each change (server-sent events). Nothing else, and no path
        is ever looked for on the disk.
Holds   connections come from this machine alone; requests whose ``Host`` is not a loopback name
        are refused, so that no website can reach the page by a name of its own (DNS rebinding).
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import socket
import socketserver
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Condition, Thread
from typing import Any, NamedTuple

from ..render.served import problem_html, problem_policy

_HOST = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::([0-9]+))?", re.IGNORECASE)
_OWN_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
_STREAMS = 64  # readers that wait for changes at once
_BEAT = 15.0  # seconds between two signs of life
_TRIES = 20  # free ports that are tried until one is free in both families
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_FRAMES = "frame-ancestors 'none'"


class Content(NamedTuple):
    """What is served: a page, or what is wrong with the file."""

    version: str
    page: str = ""
    problem: str = ""

    @property
    def event(self) -> str:
        """What a reader is told of it."""
        return json.dumps({"version": self.version, "good": not self.problem})


class Site:
    """The content as it is now and the last good one; for any number of threads."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._start = secrets.token_hex(4)  # a restarted server is a change, too
        self._count = 0
        self.current = Content(self.next_version())
        self.last: Content | None = None
        self.streams = BoundedSemaphore(_STREAMS)

    def next_version(self) -> str:
        """A name for the content that comes next."""
        self._count += 1
        return f"{self._start}-{self._count}"

    def show(self, content: Content) -> None:
        """Serve ``content`` from now on, and tell whoever listens."""
        with self._changed:
            self.current = content
            if not content.problem:
                self.last = content
            self._changed.notify_all()

    def versions(self) -> Iterator[Content | None]:
        """The content now and at each change; None from time to time, as a sign of life."""
        told = ""
        while True:
            with self._changed:
                changed = self._changed.wait_for(lambda: self.current.version != told, _BEAT)  # noqa: B023
                content = self.current
            told = content.version
            yield content if changed else None


class Server(ThreadingHTTPServer):
    """A listening socket of one address family."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = os.name != "nt"  # there it would share a port that is in use

    def __init__(self, family: socket.AddressFamily, port: int, site: Site) -> None:
        self.address_family = family
        self.site = site
        super().__init__(("::1" if family == socket.AF_INET6 else "127.0.0.1", port), _Handler)

    def server_bind(self) -> None:
        """Bind without asking for the machine's name, which can take seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        """A reader that goes away is nothing to speak of; anything else is a fault of ours."""
        error = sys.exception()
        if error is not None and not isinstance(error, OSError):
            from .faults import report

            report(error)


def listen(port: int, site: Site) -> list[Server]:
    """Listen on 127.0.0.1 and, where the machine has it, on ::1.

    Args:
        port: 0 for any that is free.
        site: What is to be served.

    Raises:
        OSError: If the port is in use, or not allowed.
    """
    for attempt in range(_TRIES):
        first = Server(socket.AF_INET, port, site)
        try:
            return [first, Server(socket.AF_INET6, first.server_port, site)]
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                return [first]  # no such address here
            first.server_close()
            if port or attempt == _TRIES - 1:
                raise
    raise AssertionError


def start(servers: list[Server]) -> None:
    """Answer in the background, until the process ends."""
    for server in servers:
        Thread(target=server.serve_forever, daemon=True).start()


class _Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    server: Server  # pyright: ignore[reportIncompatibleVariableOverride]
    protocol_version = "HTTP/1.1"
    timeout = 30  # seconds for a request to come in

    def do_GET(self) -> None:
        """Answer with one of the three."""
        if not self._is_local():
            self._refuse(403, "this server answers to localhost, 127.0.0.1 and [::1] only")
            return
        site, path = self.server.site, self.path.partition("?")[0]
        if path == "/":
            self._content(site.current)
        elif path == "/last" and site.last is not None:
            self._content(site.last)
        elif path == "/events" and self.command == "GET":
            self._events()
        else:
            self._refuse(404, "there is nothing here; the page is at /")

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing of requests."""

    def _is_local(self) -> bool:
        """Whether the request names this machine, and this port where it names one."""
        names = self.headers.get_all("Host") or []
        found = _HOST.fullmatch(names[0].strip()) if len(names) == 1 else None
        return found is not None and (found[1] or "80") == str(self.server.server_port)

    def _content(self, content: Content) -> None:
        if content.problem:
            nonce = secrets.token_urlsafe(16)
            has_last = self.server.site.last is not None
            page = problem_html(content.problem, content.version, nonce, has_last=has_last)
            policy = problem_policy(nonce)
        else:
            page, own = content.page, _OWN_POLICY.search(content.page)
            policy = own[1] if own else "default-src 'none'"
        self._send(200, "text/html; charset=utf-8", page, policy)

    def _refuse(self, status: int, reason: str) -> None:
        self.close_connection = True
        self._send(status, "text/plain; charset=utf-8", f"{reason}\n", "default-src 'none'")

    def _send(self, status: int, kind: str, text: str, policy: str) -> None:
        body = text.encode("utf-8", "replace")
        self._head(status, {"Content-Type": kind, "Content-Length": str(len(body))}, policy)
        if self.command != "HEAD":
            self.wfile.write(body)

    def _head(self, status: int, headers: dict[str, str], policy: str) -> None:
        self.send_response(status)
        for name, value in {**headers, **_HEADERS}.items():
            self.send_header(name, value)
        self.send_header("Content-Security-Policy", f"{policy}; {_FRAMES}")
        self.end_headers()

    def _events(self) -> None:
        """Tell of changes for as long as the reader listens."""
        site = self.server.site
        if not site.streams.acquire(blocking=False):
            self._refuse(503, "too many pages are open")
            return
        self.close_connection = True
        try:
            kind = {"Content-Type": "text/event-stream", "Connection": "close"}
            self._head(200, kind, "default-src 'none'")
            for content in site.versions():
                line = ":\n\n" if content is None else f"data: {content.event}\n\n"
                self.wfile.write(line.encode())
                self.wfile.flush()
        finally:
            site.streams.release()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no request, in plain text."""
        self._refuse(code, message or explain or "this request is not understood")

    def version_string(self) -> str:
        """What the server calls itself: nothing of its version or Python's."""
        return "gametree"
