// Where the nodes of the tree are drawn: texts and their sizes, and places for what is unfolded.
//
// The whole tree was laid out beforehand (render/layout.py). Where subtrees are folded, or a
// setting changed the tree, the same layout is made here: subtrees side by side as close as their
// contours allow, a node above the middle of its children (Reingold and Tilford, 1981).

const FONT = 13;
const SMALL = 12;
const LINE = 15;
const SHAPE = 44;
const GAP = 14;
const FAN = 34; // from a node to the texts of its children, at least
const MARGIN = 20;
const WRAP = 150; // pixels of a line in a label
const LINES = 3;
const FAMILY = "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif";

const pen = document.createElement("canvas").getContext("2d");
const widths = new Map();

function textWidth(text, size, weight = 400) {
  const key = `${weight} ${size} ${text}`;
  if (!widths.has(key)) {
    pen.font = `${weight} ${size}px ${FAMILY}`;
    widths.set(key, pen.measureText(text).width);
  }
  return widths.get(key);
}

// Text on one line, what cannot be seen or moves its neighbours as an escape.
function safe(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (mark) => {
    if (mark === "\u200c" || mark === "\u200d") return mark; // scripts and emoji need joiners
    if (mark === "\n") return " ";
    return `\\u${mark.codePointAt(0).toString(16).padStart(4, "0")}`;
  });
}

// A label as a few short lines, cut where it is long: its tooltip has all of it.
function wrapped(text) {
  const lines = [];
  let line = "";
  for (const piece of safe(text).split(/(?<=\s)/).flatMap(pieces)) {
    if (textWidth((line + piece).trimEnd(), SMALL) > WRAP && line) {
      lines.push(line.trimEnd());
      line = "";
      if (lines.length === LINES) break;
    }
    line += piece;
  }
  if (lines.length === LINES) lines[LINES - 1] += "…";
  else if (line.trim()) lines.push(line.trimEnd());
  return lines;
}

// A word, taken apart where it is too long for a line.
function pieces(word) {
  if (textWidth(word, SMALL) <= WRAP) return [word];
  const found = [""];
  for (const { segment } of new Intl.Segmenter().segment(word)) {
    if (textWidth(found.at(-1) + segment, SMALL) > WRAP) found.push("");
    found[found.length - 1] += segment;
    if (found.length > LINES + 1) break;
  }
  return found;
}

// Places for the nodes in `visible` (drawn nodes, parents first, measured); `isOpen` says of each
// whether its children are among them. Sets x, y, textY (where its texts end) and levelY (where
// those of its level begin); returns {width, height}.
function place(drawn, visible, isOpen, across) {
  const shown = (at) => (isOpen(at) ? drawn[at].children : []);
  if (across.length !== drawn.length || visible.length < drawn.length || !takePlaces(drawn, across)) pack(drawn, visible, shown);
  const left = visible.reduce((least, at) => Math.min(least, drawn[at].x - drawn[at].slot / 2), Infinity);
  for (const at of visible) drawn[at].x += MARGIN - left;
  const width = visible.reduce((most, at) => Math.max(most, drawn[at].x + drawn[at].slot / 2), 0) + MARGIN;
  return { width, height: stack(drawn, visible) };
}

// The places laid out beforehand, unless other numbers have made neighbours overlap.
function takePlaces(drawn, across) {
  const ends = [];
  return drawn.every((one, at) => {
    one.x = across[at];
    const isFree = one.x - one.slot / 2 >= (ends[one.depth] ?? -Infinity);
    ends[one.depth] = one.x + one.slot / 2;
    return isFree;
  });
}

// Places across, from the leaves up: contours are how far a subtree reaches, level by level.
function pack(drawn, visible, shown) {
  const contours = new Map();
  const shift = new Map(); // of a child against its parent
  for (const at of visible.toReversed()) {
    const half = drawn[at].slot / 2;
    const own = { left: [-half], right: [half] };
    const children = shown(at);
    const places = beside(children.map((child) => contours.get(child)));
    const middle = children.length ? (places[0] + places.at(-1)) / 2 : 0;
    children.forEach((child, i) => {
      const { left, right } = contours.get(child);
      shift.set(child, places[i] - middle);
      left.forEach((edge, level) => (own.left[level + 1] = Math.min(own.left[level + 1] ?? Infinity, edge + places[i] - middle)));
      right.forEach((edge, level) => (own.right[level + 1] = Math.max(own.right[level + 1] ?? -Infinity, edge + places[i] - middle)));
      contours.delete(child);
    });
    contours.set(at, own);
  }
  for (const at of visible) drawn[at].x = at ? drawn[drawn[at].parent].x + shift.get(at) : 0;
}

// Where subtrees stand side by side, the first at 0.
function beside(contours) {
  const reach = [];
  return contours.map(({ left, right }) => {
    const at = left.reduce((most, edge, level) => Math.max(most, (reach[level] ?? -Infinity) + GAP - edge), reach.length ? -Infinity : 0);
    right.forEach((edge, level) => (reach[level] = at + edge));
    return at;
  });
}

// Places along the way of play: levels as high as what stands in them; the height of the whole.
function stack(drawn, visible) {
  const levels = [];
  for (const at of visible) {
    const one = drawn[at];
    const level = (levels[one.depth] ??= { text: 0, shape: 0, fan: one.depth ? FAN : 0, tail: 0 });
    level.text = Math.max(level.text, one.lines.length * LINE);
    level.shape = Math.max(level.shape, one.height);
    if (one.isFolded) level.tail = LINE + 4;
    if (at) level.fan = Math.max(level.fan, Math.min(Math.abs(one.x - drawn[one.parent].x) * 0.14, 4 * FAN));
  }
  let y = MARGIN;
  for (const level of levels) {
    level.top = y + level.fan; // of the highest text
    level.textY = level.top + level.text; // where the texts end
    level.y = level.textY + (level.text ? 8 : 0) + level.shape / 2;
    y = level.y + level.shape / 2 + level.tail;
  }
  for (const at of visible) {
    const { y: middle, textY, top } = levels[drawn[at].depth];
    Object.assign(drawn[at], { y: middle, textY, levelY: top });
  }
  return y + MARGIN;
}
