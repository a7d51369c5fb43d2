// The strategy as a table: a row for each state, filled in as the walk is done with it.

const ROWS = 300;
const MOST_BRANCHES = 12; // columns

// The named nodes of a graph at which somebody chooses, the root's first.
function choosingNodes(graph) {
  const names = new Set();
  for (const { kind, states } of graph) {
    if (kind === "max" || kind === "min") for (const { name } of states) names.add(name);
  }
  return [...names];
}

// The rows of a named node by their arguments, and the labels of their branches.
function stateRows(graph, name) {
  const rows = [];
  graph.forEach((node, at) => {
    for (const state of node.states) if (state.name === name) rows.push({ at, args: state.args });
  });
  rows.sort((a, b) => byArguments(a.args, b.args));
  const labels = new Set();
  for (const { at } of rows) if (graph[at].kind !== "sum") for (const label of graph[at].labels) labels.add(label);
  const inOrder = [...labels];
  if (inOrder.every((label) => /^\d{1,19}$/.test(label))) inOrder.sort((a, b) => a - b);
  return { rows, labels: inOrder };
}

function byArguments(a, b) {
  if (Array.isArray(a)) {
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      const order = byArguments(a[i], b[i]);
      if (order) return order;
    }
    return a.length - b.length;
  }
  return compare(asNumber(a), asNumber(b));
}

class StrategyTable {
  constructor(table, note) {
    this.table = table;
    this.note = note;
  }

  // Show the states of a named node of a walked graph. `choices` are those of a policy, or none.
  take(graph, walked, name, argumentNames, policy, choices) {
    Object.assign(this, { graph, walked, policy, choices });
    const { rows, labels } = stateRows(graph, name);
    this.labels = labels.length > MOST_BRANCHES ? [] : labels;
    this.knownAt = new Array(graph.length);
    walked.drawn.forEach((one) => { if (one.stubOf < 0) this.knownAt[one.node] = one.known; });
    const heads = [...argumentNames.map((text) => [text, "argument"]), ...this.labels.map((text) => [safe(text), "number"]),
      ["value", "number"], ["best", "choice"], ...(choices ? [[`"${safe(policy)}"`, "choice"], ["loss", "number"]] : [])];
    this.head(heads, `${name}: ${many(rows.length)} state${rows.length === 1 ? "" : "s"}`);
    const shown = rows.length > ROWS ? rows.filter(({ at }) => graph[at].labels.length) : rows; // ends of play are the first to go
    this.rows = shown.slice(0, ROWS).map((row) => this.row(row));
    this.body.append(...this.rows.map(({ line }) => line));
    this.left = rows.length - this.rows.length;
    this.hiddenLabels = labels.length - this.labels.length;
    this.all = rows.map(({ at }) => ({ known: this.knownAt[at], isWorse: this.isWorse(at) }));
  }

  // A table that is ready made: the beginning of a large game's.
  takeTexts({ node, head, rows, differs, left, isChosen }, policy) {
    const cells = head.map(([name, role]) => [role === "choice" ? "best" : safe(name), ["branch", "value"].includes(role) ? "number" : role]);
    this.head(cells, `${node}: ${many(rows.length + left)} states`);
    this.body.append(...rows.map((row, i) => {
      const line = document.createElement("tr");
      row.forEach((text, k) => line.append(cell(k ? "td" : "th", safe(text), cells[k][1])));
      line.className = differs.includes(i) ? "filled differs" : "filled";
      return line;
    }));
    this.rows = undefined;
    const which = isChosen ? "The first in which somebody chooses" : "The first";
    const shown = left ? `${which}: ${many(rows.length)} of ${many(rows.length + left)} states. ` : "";
    this.note.textContent = `${shown}${policy ? `Marked rows: "${safe(policy)}" chooses differently.` : ""}`;
  }

  head(heads, title) {
    const caption = document.createElement("caption");
    caption.textContent = title;
    const line = document.createElement("tr");
    line.append(...heads.map(([text, role]) => cell("th", text, role)));
    for (const head of line.children) head.scope = "col";
    const head = document.createElement("thead");
    head.append(line);
    this.body = document.createElement("tbody");
    this.table.replaceChildren(caption, head, this.body);
  }

  row({ at, args }) {
    const line = document.createElement("tr");
    line.append(...args.map((value, i) => cell(i ? "td" : "th", show(value), "argument")));
    if (args.length) line.firstChild.scope = "row";
    const node = this.graph[at];
    const empty = [...this.labels.map((label) => (node.labels.includes(label) ? "·" : "")), "·", "·", ...(this.choices ? ["·", ""] : [])];
    const roles = [...this.labels.map(() => "number"), "number", "choice", "choice", "number"];
    const cells = empty.map((text, i) => cell("td", text, roles[i]));
    line.append(...cells);
    return { at, line, cells, empty, isFilled: false };
  }

  // Fill in what the walk knows after `step` steps.
  show(step) {
    if (!this.rows) return;
    const last = step ? this.walked.steps[step - 1] : undefined;
    const current = last?.event === "done" || last?.event === "shared" ? this.walked.drawn[last.at].node : -1;
    for (const row of this.rows) {
      const isKnown = this.knownAt[row.at] < step;
      if (isKnown !== row.isFilled) this.fill(row, isKnown);
      const isNow = row.at === current;
      row.line.className = [isKnown && "filled", isKnown && this.isWorse(row.at) && "differs", isNow && "now"].filter(Boolean).join(" ");
      if (isNow) this.scrollTo(row.line);
    }
    this.tell(step);
  }

  // Bring a row into sight within the table: the page stays where it is.
  scrollTo(line) {
    const frame = this.table.parentElement;
    const [top, bottom] = [line.offsetTop - 2 * line.offsetHeight, line.offsetTop + line.offsetHeight];
    if (top < frame.scrollTop) frame.scrollTop = top;
    else if (bottom > frame.scrollTop + frame.clientHeight) frame.scrollTop = bottom - frame.clientHeight;
  }

  fill(row, isKnown) {
    row.isFilled = isKnown;
    const texts = isKnown ? this.texts(row.at) : row.empty;
    row.cells.forEach((one, i) => { one.textContent = texts[i]; });
  }

  texts(at) {
    const node = this.graph[at];
    const { values, best } = this.walked;
    const branches = this.labels.map((label) => {
      const position = node.labels.indexOf(label);
      return position < 0 ? "" : tableText(add(values[node.children[position]], node.offset));
    });
    const chosen = best[at].map((i) => safe(node.labels[i])).join(" or ");
    const own = [...branches, tableText(values[at]), chosen];
    if (!this.choices) return own;
    const taken = this.choices.get(at)?.map(([i, p]) => safe(node.labels[i]) + (compare(p, ONE) ? ` ${oddsText(p)}` : "")).join(", ");
    return [...own, taken ?? "", this.isWorse(at) ? `! ${pictureText(this.loss(at))}` : ""];
  }

  // Whether the policy takes a branch that is not one of the best.
  isWorse(at) {
    const loss = this.choices ? this.loss(at) : null;
    return loss !== null && !isZero(loss);
  }

  // What the policy's choice is worth less than the state, in the eyes of who chooses there.
  loss(at) {
    const taken = this.choices.get(at);
    if (!taken || !this.walked.best[at].length) return null;
    const node = this.graph[at];
    const { values } = this.walked;
    const value = taken.reduce((sum, [i, p]) => add(sum, multiply(p, values[node.children[i]])), node.offset);
    return node.kind === "max" ? subtract(values[at], value) : subtract(value, values[at]);
  }

  // Below the heading: how far it is, and where the policy differs.
  tell(step) {
    const known = this.all.filter((row) => row.known < step);
    const parts = [`${many(known.length)} of ${many(this.all.length)} states known.`];
    if (this.choices) {
      const worse = known.filter(({ isWorse }) => isWorse);
      const where = worse.length ? `in ${many(worse.length)} of them, marked` : "in none of them";
      parts.push(`"${safe(this.policy)}" chooses worse ${where}.`);
      if (step === this.walked.steps.length) {
        const [own, most] = [policyValue(this.graph, this.walked, this.choices), this.walked.values[0]].map(tableText);
        parts.push(`To follow it is worth ${own}, and the best is ${most}.`);
      }
    }
    if (this.left) parts.push(`${many(this.left)} further states are not in the table.`);
    if (this.hiddenLabels) parts.push(`${many(this.hiddenLabels)} branches are too many for columns.`);
    this.note.textContent = parts.join(" ");
  }
}

function cell(name, text, role) {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = role;
  return made;
}
