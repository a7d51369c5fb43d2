r"""A drawing as a LaTeX document: a picture in plain TikZ, every place a pair of coordinates.

Holds   it needs LaTeX and TikZ, nothing else; the ``tikzpicture`` can be moved into another
        document together with the definitions above it. Nothing in a label is a command. What
        pdfLaTeX's own fonts do not have stands there as its code (``U+1F600``), as small as its
        place makes it; XeLaTeX and LuaLaTeX show it, with a font that has it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec.diagnostics import UsageError
from .drawn import SMALL, Drawing, Point
from .scene import Edge, Group, Outline, Scene, Words, corners, scene
from .shapes import KINDS, LIGHT, text_width

_POINTS = 0.75  # TeX's points to a pixel: CSS has 96 to an inch
_WIDEST = 16_000  # points; TeX can count to 16,383

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "^": r"\^{}",
    "~": r"\~{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\ttfamily\char34}",
    "`": r"\`{}",
    "'": r"{'}",
    "-": r"{-}",  # two of them would be one dash
    ",": r"{,}",  # two of them would be a quotation mark
    "…": r"\dots{}",
    "≈": r"$\approx$",
    "×": r"$\times$",
    "→": r"$\to$",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
    "·": r"$\cdot$",
    "\u00a0": "~",
}
_LATIN = frozenset("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿŒœ")
_FONTS = {"heading": 12, "figure": 10}  # points, sizes that TeX's fonts come in; others 9
_ROLES = (
    "label",
    "odds",
    "factor",
    "title",
    "offset",
    "mark",
    "heading",
    "remark",
    "figure",
    "key",
)


def tikz(drawing: Drawing, *, title: str = "", legend: bool = False) -> str:
    """``drawing`` as a LaTeX document, ending in a line break, with a line of ``title`` above it.

    Raises:
        UsageError: If it is larger than TeX's largest page.
    """
    shown = scene(drawing, title, legend=legend)
    widest = max(shown.width, shown.height) * _POINTS
    if widest > _WIDEST:
        raise UsageError(
            f"TeX's pages have up to {_WIDEST:,} points, and this picture has {widest:,.0f}",
            "draw fewer nodes with --max-nodes, or another format",
        )
    return "\n".join([*_head(shown), *_definitions(), *_picture(shown), r"\end{document}", ""])


def _head(shown: Scene) -> Iterator[str]:
    paper = (
        f"paperwidth={shown.width * _POINTS:.1f}pt,paperheight={shown.height * _POINTS + 2:.1f}pt"
    )
    yield r"\documentclass{article}"
    yield rf"\usepackage[{paper},margin=0pt]{{geometry}}"
    yield r"\usepackage{tikz}"
    yield r"\pagestyle{empty}\parindent0pt\topskip0pt"


def _definitions() -> Iterator[str]:
    yield r"% the definitions that the picture needs"
    yield r"\ifdefined\Umathcode\newcommand\gtchar[2]{#2}%"
    yield r"\else\newcommand\gtchar[2]{{\tiny U+#1}}\fi"
    yield r"\newcommand\gtfit[2]{\sbox0{#2}% what is wider than its place is made smaller"
    yield r"  \ifdim\wd0>#1\resizebox{#1}{!}{\usebox0}\else\usebox0\fi}"
    yield from _colours()
    yield r"\tikzset{gt/.cd, edge/.style={draw=gtedge, line width=0.9pt, line join=round},"
    yield r"  bold/.style={line width=2.2pt}, shape/.style={line width=1.1pt},"
    yield r"  stub/.style={dashed}, current/.style={draw=gtcurrent, line width=3pt},"
    yield r"  faint edge/.style={draw=gtfaint},"
    yield r"  faint/.style={fill=gtpaper, draw=gtfaint},"
    for name in KINDS:
        yield rf"  {name}/.style={{fill=gtfill{name}, draw=gtline{name}}},"
        yield rf"  by {name}/.style={{draw=gtby{name}}},"
        yield rf"  words by {name}/.style={{text=gtby{name}}},"
    for role in _ROLES:
        yield f"  {role}/.style={{{_font(role)}}},"
    yield r"  faint words/.style={text=gtfaintink}, start/.style={anchor=base west}}"


def _font(role: str) -> str:
    size = _FONTS.get(role, 9)
    more = {"title": r"\itshape", "heading": r"\bfseries"}.get(role, "")
    colour = {"odds": "gtodds", "remark": "gtfaded"}.get(role, "gtink")
    font = rf"\fontsize{{{size}}}{{{size * 1.2:g}}}\sffamily{more}"
    return f"font={font}\\selectfont, text={colour}, anchor=base, inner sep=0pt"


def _colours() -> Iterator[str]:
    named = {
        "paper": LIGHT.paper,
        "ink": LIGHT.ink,
        "edge": LIGHT.edge,
        "faded": LIGHT.faded,
        "faint": LIGHT.faint,
        "faintink": LIGHT.faint_ink,
        "odds": LIGHT.odds,
        "current": LIGHT.current,
    }
    for name, kind in KINDS.items():
        named[f"fill{name}"], named[f"line{name}"] = LIGHT.fill[kind], LIGHT.line[kind]
        named[f"by{name}"] = LIGHT.chosen.get(kind, LIGHT.chosen_else)
    for name, colour in named.items():
        yield rf"\definecolor{{gt{name}}}{{HTML}}{{{colour.removeprefix('#').upper()}}}"


# --- the picture -----------------------------------------------------------------------------


def _picture(shown: Scene) -> Iterator[str]:
    yield r"\begin{document}"
    yield rf"\begin{{tikzpicture}}[x={_POINTS}pt, y=-{_POINTS}pt]"
    yield rf"\useasboundingbox (0,0) rectangle ({shown.width:.1f},{shown.height:.1f});"
    for item in shown.items:
        if isinstance(item, Words):
            yield _words(item)
        elif isinstance(item, Edge):
            yield _edge(item)
        else:
            yield from _group(item)
    yield r"\end{tikzpicture}%"


def _group(group: Group) -> Iterator[str]:
    for item in group.items:
        if isinstance(item, Words):
            yield _words(item, faint=group.faint)
        else:
            yield _outline(item, group)


def _edge(edge: Edge) -> str:
    styles = ["gt/edge"]
    styles += ["gt/bold", f"gt/by {edge.by}"] if edge.by else []
    styles += ["gt/faint edge"] if edge.faint else []
    lines = " ".join(" -- ".join(map(_point, stroke)) for stroke in edge.strokes)
    return rf"\path[{', '.join(styles)}] {lines};"


def _outline(outline: Outline, group: Group) -> str:
    shape, x, y, width, height = outline
    flags = (("stub", group.stub), ("faint", group.faint), ("current", group.current))
    styles = ["gt/shape", f"gt/{group.kind}", *(f"gt/{name}" for name, holds in flags if holds)]
    if shape == "circle":
        drawn = f"{_point((x, y))} ellipse [x radius={width / 2:.1f}, y radius={height / 2:.1f}]"
    elif shape in ("box", "square"):
        styles += ["rounded corners=2pt"] if shape == "box" else []
        left, top = x - width / 2, y - height / 2
        drawn = f"{_point((left, top))} rectangle {_point((left + width, top + height))}"
    else:
        drawn = " -- ".join([*map(_point, corners(outline)), "cycle"])
    return rf"\path[{', '.join(styles)}] {drawn};"


def _words(words: Words, *, faint: bool = False) -> str:
    styles = [f"gt/{words.role}"]
    styles += [f"gt/words by {words.by}"] if words.by else []
    styles += ["gt/start"] if words.start else []
    styles += ["gt/faint words"] if faint else []
    place = _point((words.x, words.y))
    text = escaped(words.text)
    if r"\gtchar" in text:
        text = rf"\gtfit{{{text_width(words.text, SMALL) * _POINTS:.1f}pt}}{{{text}}}"
    return rf"\node[{', '.join(styles)}] at {place} {{{text}}};"


def _point(point: Point) -> str:
    return f"({point[0]:.1f},{point[1]:.1f})"


def escaped(text: str) -> str:
    """``text`` so that LaTeX shows it as it is, on one line."""
    return "".join(map(_escaped, text))


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if " " <= character <= "~" or character in _LATIN:
        return character
    return rf"\gtchar{{{ord(character):X}}}{{{character}}}"
