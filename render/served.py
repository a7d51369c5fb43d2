"""What a served page has beside the page itself: how it reloads, and what a broken file shows.

Holds   text of the file is escaped; the page of a broken file runs the one script that carries
        the nonce, and loads nothing.
"""

from __future__ import annotations

import json
from html import escape

_RELOAD = """\
// Load the page again when the file has changed; a last good page waits until the file is good.
new EventSource("/events").onmessage = ({ data }) => {
  const { version, good } = JSON.parse(data);
  if (version !== VERSION && (good || location.pathname === "/")) location.replace("/");
};
"""
_STYLE = """\
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
body { max-width: 100ch; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.25rem; }
pre { overflow-x: auto; padding: 1rem; border: 1px solid; border-left-width: .5rem; }
"""


def reload_script(version: str) -> str:
    """JavaScript that listens at ``/events`` and reloads what is not ``version`` any more."""
    return _RELOAD.replace("VERSION", json.dumps(version))


def problem_html(problem: str, version: str, nonce: str, *, has_last: bool) -> str:
    """The page that stands in for a game's while its file is broken.

    Args:
        problem: What is wrong, as ``render.diagnostics.as_text`` words it.
        version: The version of the file.
        nonce: What the content security policy lets run.
        has_last: Whether there is a good page of before, at ``/last``.
    """
    last = '<p><a href="/last">The page as it was before</a></p>\n' if has_last else ""
    return f"""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The file has problems · gametree</title>
<link rel="icon" href="data:,">
<style nonce="{nonce}">
{_STYLE}</style>
</head>
<body>
<main>
<h1>The file has problems</h1>
<pre role="alert" tabindex="0">{escape(problem)}</pre>
<p>This page loads again when the file is saved.</p>
{last}</main>
<script nonce="{nonce}">
{reload_script(version)}</script>
</body>
</html>
"""


def problem_policy(nonce: str) -> str:
    """The content security policy of ``problem_html``."""
    return (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
        "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
    )
