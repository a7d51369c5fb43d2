"""``gametree serve`` as a real process: what it serves, to whom, and how it follows the file."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from gametree.render.served import problem_html

GOOD = """\
game: coin
root: {max: {play: {chance: [6, -1]}, pass: 1}}
"""
NEXT = GOOD.replace("game: coin", "game: another coin")
BAD = """\
game: urn
root: {chance: {"</pre><script>alert(1)</script>": {p: 0.3, then: 5}, b: {p: 0.3, then: 4}}}
"""
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Server": "gametree",
}
WAIT = 60  # seconds for what takes a moment


class Served:
    """A server in a process of its own, in the folder of its file."""

    def __init__(self, folder, *arguments, **environment):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gametree", "serve", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONUTF8": "1", "NO_COLOR": "1", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert self.process.stdout
        self.url = self.process.stdout.readline().strip()
        self.port = int(self.url.rpartition(":")[2].rstrip("/") or 0)

    def get(self, path="/", method="GET", host="127.0.0.1", headers=None):
        """The status, headers and text of an answer."""
        connection = http.client.HTTPConnection(host, self.port, timeout=WAIT)
        with contextlib.closing(connection):
            connection.request(method, path, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()

    def raw(self, request):
        """The first line of the answer to some bytes."""
        with socket.create_connection(("127.0.0.1", self.port), WAIT) as connection:
            connection.sendall(request)
            return connection.makefile("rb").readline().decode().strip()

    @contextlib.contextmanager
    def events(self):
        """The messages of the stream, as they come."""
        with urllib.request.urlopen(self.url + "events", timeout=WAIT) as stream:
            yield (
                json.loads(line.removeprefix(b"data: "))
                for line in stream
                if line.startswith(b"data: ")
            )

    def end(self):
        """Interrupt it; the exit code, and what it wrote to stderr."""
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=WAIT)
        return self.process.returncode, said


@pytest.fixture
def serve(tmp_path):
    """Start servers, and end those that are left."""
    started = []

    def start(*arguments, **environment):
        served = Served(tmp_path, *arguments, **environment)
        started.append(served)
        return served

    (tmp_path / "game.yaml").write_text(GOOD)
    yield start
    for served in started:
        if served.process.poll() is None:
            served.process.kill()
            served.process.communicate()


@pytest.fixture(scope="module")
def coin(tmp_path_factory):
    """A server of a file that stays as it is, for tests that only ask."""
    folder = tmp_path_factory.mktemp("coin")
    (folder / "game.yaml").write_text(GOOD)
    served = Served(folder, "game.yaml")
    yield served
    served.process.kill()
    served.process.communicate()


def policy_of(headers):
    return dict(
        part.strip().partition(" ")[::2] for part in headers["Content-Security-Policy"].split(";")
    )


# --- the page --------------------------------------------------------------------------------


def test_the_page_is_served_with_a_policy_that_runs_its_own_scripts_only(coin):
    status, headers, page = coin.get()
    policy = policy_of(headers)

    assert status == 200
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert {name: headers[name] for name in HEADERS} == HEADERS
    assert "<title>coin" in page
    assert policy["default-src"] == policy["frame-ancestors"] == "'none'"
    assert policy["connect-src"] == "'self'"
    assert set(
        re.sub("'sha256-[A-Za-z0-9+/=]+'", "", policy["script-src"] + policy["style-src"])
    ) <= {" "}
    assert coin.get("/", "HEAD")[::2] == (200, "")
    assert coin.get("/?x=1")[2] == page


def test_settings_and_the_state_to_start_at_are_those_of_the_command(serve):
    served = serve("push-to-21", "--set", "target=5", "--at", "turn(2)", "--algorithm", "minimax")
    page = served.get()[2]
    data = json.loads(
        re.search(r"<script[^>]*application/json[^>]*>(.*?)</script>", page, re.DOTALL)[1]
    )

    assert (data["algorithm"], data["at"]) == ("minimax", "turn(2)")


def test_a_change_is_told_and_the_page_is_new(serve, tmp_path):
    """A message for each version of the file; the page follows."""
    served = serve("game.yaml")
    with served.events() as events:
        first = next(events)
        (tmp_path / "game.yaml").write_text(NEXT)
        second = next(events)

    assert first["good"] is second["good"] is True
    assert first["version"] != second["version"]
    page = served.get()[2]
    assert "<title>another coin" in page
    assert json.dumps(second["version"]) in page


def test_a_file_that_is_replaced_is_followed(serve, tmp_path):
    """As editors save: a new file under the old name, for a moment none."""
    served = serve("game.yaml")
    with served.events() as events:
        next(events)
        (tmp_path / "new").write_text(NEXT)
        (tmp_path / "game.yaml").unlink()
        os.replace(tmp_path / "new", tmp_path / "game.yaml")
        assert next(events)["good"]
    assert "<title>another coin" in served.get()[2]


def test_a_broken_file_shows_what_is_wrong_and_keeps_the_last_good_page(serve, tmp_path):
    served = serve("game.yaml")
    good = served.get()[2]
    with served.events() as events:
        next(events)
        (tmp_path / "game.yaml").write_text(BAD)
        assert next(events)["good"] is False
        status, headers, page = served.get()

        assert status == 200
        assert "error[GT301]" in page
        assert "&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert page.count("<script") == 1
        assert '<a href="/last">' in page
        assert served.get("/last")[2] == good
        nonce = re.search('<script nonce="([^"]+)">', page)[1]
        policy = policy_of(headers)
        assert policy["script-src"] == policy["style-src"] == f"'nonce-{nonce}'"
        assert policy["default-src"] == "'none'"
        assert nonce not in served.get()[2]  # each answer has its own

        (tmp_path / "game.yaml").write_text(NEXT)
        assert next(events)["good"] is True
    assert served.get()[2] == served.get("/last")[2] != good
    code, said = served.end()
    assert code == 130
    assert "error[GT301]" in said
    assert "loaded again" in said


def test_a_file_that_goes_away_is_a_problem_like_any_other(serve, tmp_path):
    served = serve("game.yaml")
    with served.events() as events:
        next(events)
        (tmp_path / "game.yaml").unlink()
        assert next(events)["good"] is False
    assert "error[GT001]" in served.get()[2]


def test_a_file_that_is_broken_from_the_start_is_served(serve, tmp_path):
    (tmp_path / "game.yaml").write_text(BAD)
    served = serve("game.yaml")

    assert "error[GT301]" in served.get()[2]
    assert '"/last"' not in served.get()[2]
    assert served.get("/last")[0] == 404
    with served.events() as events:
        assert next(events)["good"] is False
        (tmp_path / "game.yaml").write_text(GOOD)
        assert next(events)["good"] is True


def test_a_state_that_is_gone_is_said_in_the_page(serve, tmp_path):
    text = "game: turns\nnodes: {'turn(n: 0..3)': {max: [n]}}\nroot: turn(0)\n"
    (tmp_path / "game.yaml").write_text(text)
    served = serve("game.yaml", "--at", "turn(1)")
    with served.events() as events:
        next(events)
        (tmp_path / "game.yaml").write_text(GOOD)
        assert next(events)["good"] is False
    assert "error: `turn(1)` is not a state of this game" in served.get()[2]


# --- who is answered -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:{port}", 200),
        ("localhost:{port}", 200),
        ("LOCALHOST:{port}", 200),
        ("[::1]:{port}", 200),
        ("evil.example", 403),
        ("evil.example:{port}", 403),
        ("localhost.evil.example:{port}", 403),
        ("127.0.0.1.evil.example:{port}", 403),
        ("127.0.0.1:1", 403),
        ("127.0.0.1", 403),  # port 80
        ("127.0.0.1:" + "9" * 5000, 403),
        ("", 403),
    ],
)
def test_only_loopback_names_are_answered(coin, host, status):
    """A name of a website that leads to this machine is refused: DNS rebinding."""
    host = host.format(port=coin.port)
    for path in ("/", "/last", "/nowhere"):
        found, headers, text = coin.get(path, headers={"Host": host})
        assert found == (404 if status == 200 and path == "/nowhere" else status)
        if status == 403:
            assert "coin" not in text
            assert policy_of(headers)["default-src"] == "'none'"


def test_a_request_without_a_host_or_with_two_is_refused(coin):
    host = f"Host: 127.0.0.1:{coin.port}\r\n"

    assert coin.raw(b"GET / HTTP/1.0\r\n\r\n").split()[1] == "403"
    assert coin.raw(f"GET / HTTP/1.1\r\n{host}Host: evil\r\n\r\n".encode()).split()[1] == "403"
    assert coin.raw(f"GET / HTTP/1.1\r\n{host}\r\n".encode()).split()[1] == "200"


def test_it_listens_on_loopback_only(coin):
    """Another loopback address answers only where a server listens on all of them."""
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.2", coin.port), 5).close()
    if sys.platform == "linux":
        with open(f"/proc/{coin.process.pid}/net/tcp", encoding="ascii") as file:
            listening = [line.split()[1] for line in file if line.split()[3] == "0A"]
        port = f"{coin.port:04X}"
        assert [address for address in listening if address.endswith(port)] == [f"0100007F:{port}"]


def test_it_answers_on_the_other_family_too(coin):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no ::1")

    assert coin.get(host="::1")[0] == 200


@pytest.mark.parametrize(
    "path",
    ["/game.yaml", "/../game.yaml", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
     "/..\\..\\game.yaml", "/last/", "/events/../game.yaml", "http://evil.example/", "*"],
)  # fmt: skip
def test_no_path_leads_to_a_file(coin, path):
    status, _, text = coin.get(path)

    assert status == (403 if "://" in path else 404)  # that request's Host is evil.example
    assert "coin" not in text
    assert "root" not in text


def test_other_requests_are_refused_in_a_line(serve):
    served = serve("game.yaml")
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "<script>"):
        status, headers, text = served.get("/", method)
        assert status == 501
        assert headers["Content-Type"].startswith("text/plain")
        assert text.count("\n") == 1
    assert served.raw(b"nonsense\r\n\r\n") != ""
    assert served.raw(b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n").split()[1] == "414"
    assert served.get()[0] == 200
    code, said = served.end()
    assert code == 130
    assert "Traceback" not in said
    assert "internal error" not in said


def test_so_many_listeners_and_no_more(coin):
    """The 65th stream is refused; when one ends, there is room again."""
    request = f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{coin.port}\r\n\r\n".encode()
    with contextlib.ExitStack() as stack:
        for _ in range(64):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", coin.port)))
            connection.sendall(request)
            assert connection.recv(12) == b"HTTP/1.1 200"
        assert coin.raw(request).split()[1] == "503"
        assert coin.get()[0] == 200


# --- the command -----------------------------------------------------------------------------


def test_it_ends_cleanly_when_interrupted(serve):
    served = serve("game.yaml")
    with served.events() as events:
        next(events)
        code, said = served.end()

    assert code == 130
    assert said == "serving game.yaml; Ctrl-C ends\n"
    assert served.url == f"http://127.0.0.1:{served.port}/"


def test_a_port_in_use_is_said(serve, run, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = run("serve", "game.yaml", "--port", str(port))

    assert done.returncode == 2
    assert done.stderr == (
        f"error: port {port} is in use; choose another one with --port, or leave it out\n"
    )
    assert done.stdout == ""
    served = serve("game.yaml", "--port", str(port))
    assert served.port == port


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.yaml"], "error[GT001]"),
        (["-"], "standard input cannot be read again"),
        (["dice", "--algorithm", "minmax"], "did you mean `minimax`?"),
        (["dice", "--set", "x=1"], "x"),
        (["push-to-21", "--at", "trn(1)"], "`trn(1)` is not a state of this game"),
        (["push-to-21", "--policy", "hit"], "this game has no policy `hit`"),
        (["dice", "--port", "70000"], "--port"),
    ],
)
def test_wrong_use_ends_at_once(run, arguments, said):
    done = run("serve", *arguments)

    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_the_browser_is_opened_when_asked_for(serve, tmp_path):
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\nprintf %s "$1" > "{tmp_path}/opened.part"\nmv "{tmp_path}/opened.part" "{tmp_path}/opened"\n'
    )
    browser.chmod(0o755)
    served = serve("game.yaml", "--open", BROWSER=f"{browser} %s")
    deadline = time.monotonic() + WAIT
    while not (tmp_path / "opened").exists() and time.monotonic() < deadline:
        time.sleep(0.1)

    assert (tmp_path / "opened").read_text() == served.url


def test_the_page_of_a_problem_is_text():
    page = problem_html("<b>&\"'", "1-1", "abc", has_last=False)

    assert "&lt;b&gt;&amp;&quot;" in page
    assert "<b>" not in page


# --- a browser -------------------------------------------------------------------------------


@pytest.fixture
def browser():
    """A headless Chromium."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium drives the browser")
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("there is no Chromium here")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield opened
    opened.quit()


def until(condition):
    deadline = time.monotonic() + WAIT
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert condition()


def test_a_browser_follows_the_file(serve, browser, tmp_path):
    """The page gives way to the problem and comes back; the last good page waits for a good file."""
    served = serve("game.yaml")
    browser.get(served.url)
    until(lambda: browser.title.startswith("coin"))
    (tmp_path / "game.yaml").write_text(BAD)
    until(lambda: browser.title.startswith("The file has problems"))
    assert "<script>alert(1)</script>" in browser.find_element("tag name", "pre").text
    browser.find_element("link text", "The page as it was before").click()
    until(lambda: browser.title.startswith("coin"))
    (tmp_path / "game.yaml").write_text(BAD + "# still\n")
    with served.events() as events:
        while not next(events)["version"].endswith("-3"):
            pass
    assert browser.current_url == served.url + "last"
    (tmp_path / "game.yaml").write_text(NEXT)
    until(lambda: browser.title.startswith("another coin"))

    assert browser.current_url == served.url
    assert browser.get_log("browser") == []
