// The picture of the tree: which nodes are unfolded, how they look at a step, and moving in it.

const MOST_OPEN = 60; // drawn nodes of a large tree that are unfolded at first
const MOST_DRAWN = 3_000; // drawn nodes that `Unfold all` may come to
const MOST_PATH = 300; // nodes that the walk unfolds on its way
const SCALES = [0.25, 3]; // the least and the largest that zooming makes
const FITTING = [0.6, 1.3]; // and those at which the whole tree is shown without being asked
const READABLE = 0.75; // the scale of a tree that is larger
const SVG = "http://www.w3.org/2000/svg";

function make(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// The outline of a kind of node around (0, 0).
function outline(kind, width, height) {
  const [w, h] = [width / 2, height / 2];
  if (kind === "max") return make("path", { d: `M0 ${-h}L${w} ${h}H${-w}Z` });
  if (kind === "min") return make("path", { d: `M0 ${h}L${w} ${-h}H${-w}Z` });
  if (kind === "sum") return make("path", { d: `M0 ${-h}L${w} 0L0 ${h}L${-w} 0Z` });
  if (kind === "chance") return make("ellipse", { rx: w, ry: h });
  return make("rect", { x: -w, y: -h, width, height, rx: 5 });
}

class TreeView {
  constructor(svg, stage) {
    this.svg = svg;
    this.stage = stage;
    this.scale = 1;
    this.world = make("g");
    this.edges = make("g", { "aria-hidden": "true" });
    this.nodes = make("g");
    this.world.append(this.edges, this.nodes);
    svg.append(this.world);
    this.made = new Map(); // drawn node -> what was made for it
    this.focused = 0;
    svg.addEventListener("click", (event) => this.clicked(event));
    svg.addEventListener("keydown", (event) => this.keyPressed(event));
    svg.addEventListener("focusin", (event) => this.focusMoved(event));
    stage.addEventListener("pointerdown", (event) => this.drag(event));
    stage.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  // Show another graph, or another walk through it.
  take(graph, walked, across) {
    const isSame = this.drawn !== undefined && sameShape(walked.drawn, this.drawn);
    Object.assign(this, { graph, walked, across, drawn: walked.drawn, step: 0 });
    this.line = new Set(principalLine(graph, walked));
    for (const made of this.made.values()) this.remove(made);
    this.made.clear();
    if (!isSame) {
      this.unfolded = this.firstUnfolded();
      this.focused = 0;
    }
    this.path = new Set();
    this.arrange();
    if (!isSame) this.fit();
  }

  // --- texts and sizes ---

  // The texts of a drawn node, and how much room it takes.
  measure(one, at) {
    if (one.lines) return;
    const node = this.graph[one.node];
    const value = this.walked.values[one.node];
    one.text = this.valueText(one, value);
    one.isStub = one.stubOf >= 0 && node.kind !== "terminal";
    one.lines = [...this.edgeLines(one, at), ...this.ownLines(one, node)];
    const room = { max: 34, min: 34, chance: 16, sum: 24, terminal: 14 }[node.kind];
    const text = textWidth(one.text, FONT, 600);
    const slanted = node.kind === "max" || node.kind === "min" ? 1.75 * text : 0; // a triangle is narrower where its text begins
    one.width = Math.max(node.kind === "terminal" ? 34 : SHAPE, text + room, slanted);
    one.height = node.kind === "terminal" ? 28 : SHAPE;
    const texts = one.lines.map(({ text, role }) => textWidth(text, SMALL, role === "label" ? 600 : 400));
    one.slot = Math.max(one.width, ...texts, node.hidden ? textWidth(hiddenText(node.hidden), SMALL) : 0);
  }

  valueText(one, value) {
    const exact = exactText(value);
    return this.graph[one.node].kind === "terminal" && exact.length <= 14 && !isFloat(value) ? shorter(exact, pictureText(value)) : pictureText(value);
  }

  edgeLines(one, at) {
    if (one.parent < 0) return [];
    const above = this.graph[this.drawn[one.parent].node];
    const weight = above.weights[one.position];
    const label = above.kind === "sum" ? above.labels[one.position] ?? "" : branchLabel(this.graph, this.drawn, at);
    const lines = wrapped(label).map((text) => ({ text, role: "label" }));
    if (above.kind === "chance") {
      const odds = oddsText(weight);
      lines.push({ text: odds.startsWith("≈") ? `p ${odds}` : `p = ${odds}`, role: "odds" });
    }
    if (above.kind === "sum" && compare(weight, ONE) !== 0) lines.push({ text: `× ${pictureText(weight)}`, role: "factor" });
    return lines;
  }

  ownLines(one, node) {
    const lines = wrapped(node.title).map((text) => ({ text, role: "title" }));
    if (node.kind !== "terminal" && !isZero(node.offset)) {
      const word = node.kind === "sum" ? "constant" : compare(node.offset, ZERO) < 0 ? "cost" : "reward";
      const amount = node.kind === "sum" ? node.offset : absolute(node.offset);
      lines.push({ text: `${word} ${pictureText(amount)}`, role: "offset" });
    }
    if (one.isStub && !node.title) lines.push({ text: "as above", role: "stub" });
    return lines;
  }

  // --- folding ---

  firstUnfolded() {
    const open = new Set();
    if (this.drawn.length <= 2 * MOST_OPEN) {
      this.drawn.forEach((one, at) => one.children.length && open.add(at));
      return open;
    }
    let count = 1;
    let level = [0];
    while (level.length) {
      const next = level.flatMap((at) => this.drawn[at].children);
      count += next.length;
      if (count > MOST_OPEN && open.size) break;
      for (const at of level) if (this.drawn[at].children.length) open.add(at);
      level = next;
    }
    return open;
  }

  isOpen(at) {
    return this.unfolded.has(at) || this.path.has(at);
  }

  toggle(at) {
    if (!this.drawn[at].children.length) return;
    if (!this.unfolded.delete(at)) this.unfolded.add(at);
    this.arrange();
    this.show(this.step);
  }

  // Unfold whatever fits; says whether that was everything.
  unfoldAll() {
    let count = this.visible.length;
    for (let at = 0; at < this.drawn.length; at++) {
      const { children } = this.drawn[at];
      if (!children.length || this.unfolded.has(at)) continue;
      count += children.length;
      if (count > MOST_DRAWN) break;
      this.unfolded.add(at);
    }
    this.arrange();
    this.show(this.step);
    return count <= MOST_DRAWN;
  }

  fold() {
    this.unfolded = new Set([0]);
    this.arrange();
    this.show(this.step);
    this.fit();
  }

  // --- placing ---

  // The drawn nodes that are not folded away, parents first.
  reachable() {
    const found = [];
    const waiting = [0];
    while (waiting.length) {
      const at = waiting.pop();
      found.push(at);
      const one = this.drawn[at];
      this.measure(one, at);
      one.isFolded = Boolean(this.graph[one.node].hidden !== undefined) || (one.children.length > 0 && !this.isOpen(at));
      if (!one.isFolded) for (let i = one.children.length - 1; i >= 0; i--) waiting.push(one.children[i]);
    }
    return found;
  }

  arrange() {
    this.visible = this.reachable();
    this.extent = place(this.drawn, this.visible, (at) => this.isOpen(at), this.across);
    const wanted = new Set(this.visible);
    for (const [at, made] of this.made) {
      if (wanted.has(at)) continue;
      this.remove(made);
      this.made.delete(at);
    }
    for (const at of this.visible) {
      if (!this.made.has(at)) this.made.set(at, this.create(at));
      this.put(at);
    }
    if (!this.made.has(this.focused)) this.focused = 0;
    this.size();
  }

  remove({ group, edge }) {
    group.remove();
    edge?.remove();
  }

  create(at) {
    const one = this.drawn[at];
    const { kind } = this.graph[one.node];
    const shape = outline(kind, one.width, one.height);
    shape.classList.add("shape");
    const value = make("text", { class: "value", y: kind === "max" ? 15 : kind === "min" ? -6 : 4.5 });
    const badge = make("text", { class: "badge", y: one.height / 2 + 14 });
    const group = make("g", { class: `node ${kind}${one.isStub ? " stub" : ""}`, role: "treeitem", tabindex: "-1" }, shape, value, badge);
    const siblings = one.parent < 0 ? 1 : this.drawn[one.parent].children.length;
    for (const [name, number] of [["level", one.depth + 1], ["posinset", one.position + 1], ["setsize", siblings]]) group.setAttribute(`aria-${name}`, number);
    const texts = one.lines.map(({ text, role }) => make("text", { class: `line ${role}` }, text));
    group.append(...texts, make("title", {}, this.tip(one, at)));
    group.dataset.at = at;
    this.nodes.append(group);
    const edge = one.parent < 0 ? undefined : make("path", { class: "edge" });
    if (edge) this.edges.append(edge);
    return { group, edge, shape, value, badge, texts, shown: "" };
  }

  tip(one, at) {
    const node = this.graph[one.node];
    return [branchLabel(this.graph, this.drawn, at), node.title, node.note].filter(Boolean).map(safe).join("\n");
  }

  put(at) {
    const one = this.drawn[at];
    const { group, edge, texts } = this.made.get(at);
    group.setAttribute("transform", `translate(${one.x.toFixed(1)} ${one.y.toFixed(1)})`);
    const top = one.textY - one.y - one.lines.length * LINE;
    texts.forEach((text, i) => text.setAttribute("y", (top + (i + 0.8) * LINE).toFixed(1)));
    if (one.isFolded) group.setAttribute("aria-expanded", "false");
    else if (one.children.length) group.setAttribute("aria-expanded", "true");
    if (!edge) return;
    const above = this.drawn[one.parent];
    const from = above.y + above.height / 2;
    const to = one.y + (one.lines.length ? top - 1 : -one.height / 2);
    const turn = to - one.levelY > 2 * LINE ? one.levelY : to; // or it would run through neighbours' texts
    edge.setAttribute("d", `M${above.x.toFixed(1)} ${from.toFixed(1)}L${one.x.toFixed(1)} ${turn.toFixed(1)}V${to.toFixed(1)}`);
  }

  // --- a step ---

  // Show the walk after `step` steps.
  show(step) {
    this.step = step;
    const { steps } = this.walked;
    const last = step ? steps[step - 1] : undefined;
    this.current = last ? (last.event === "return" ? last.child : last.at) : -1;
    if (this.follow(last)) this.arrange();
    const isOver = step === steps.length;
    for (const at of this.visible) this.paint(at, step, isOver);
    if (last && !isOver) this.scrollTo(this.current);
  }

  // Unfold the way to where the walk is, and fold what it has left; says whether that changed it.
  follow(last) {
    const path = new Set();
    if (last && this.step < this.walked.steps.length) {
      const from = last.event === "enter" || last.event === "return" ? last.at : this.drawn[last.at].parent;
      for (let at = from; at >= 0; at = this.drawn[at].parent) if (!this.unfolded.has(at)) path.add(at);
      if (path.size > MOST_PATH) path.clear(); // it would take longer to draw than to read
    }
    const isSame = path.size === this.path.size && path.isSubsetOf(this.path);
    this.path = path;
    return !isSame;
  }

  // What a node has to show: its state, its value so far, and how the edge to it looks.
  look(at, step, isOver) {
    const one = this.drawn[at];
    const { kind } = this.graph[one.node];
    const isKnown = one.known < step;
    const state = isKnown ? "known" : one.met < step ? "open" : "ahead";
    let value = isKnown || kind === "terminal" ? one.text : "";
    if (state === "open") {
      const running = this.running(one, step);
      value = running === null ? "" : pictureText(running);
    }
    return { state, value, edge: this.edgeLook(one, at, step, isOver) };
  }

  // The running figure of a node that is being walked.
  running(one, step) {
    const { steps } = this.walked;
    const last = one.returns.findLast((number) => number < step);
    return last === undefined ? null : steps[last].running;
  }

  edgeLook(one, at, step, isOver) {
    if (one.parent < 0) return "";
    const above = this.drawn[one.parent];
    if (isOver && this.line.has(at)) return "line";
    const { best, values, rules } = this.walked;
    if (above.known < step) return best[above.node].includes(one.position) ? "chosen" : "";
    if (one.known >= step || !["highest", "lowest"].includes(rules[this.graph[above.node].kind])) return "";
    const running = this.running(above, step);
    return running !== null && compare(values[one.node], running) === 0 ? "leading" : "";
  }

  paint(at, step, isOver) {
    const { state, value, edge } = this.look(at, step, isOver);
    const made = this.made.get(at);
    const one = this.drawn[at];
    const isCurrent = at === this.current && !isOver;
    const shown = `${state} ${value} ${edge} ${isCurrent} ${one.isFolded} ${isOver && this.line.has(at)}`;
    if (made.shown === shown) return;
    made.shown = shown;
    const { kind } = this.graph[one.node];
    const above = one.parent < 0 ? "" : this.graph[this.drawn[one.parent].node].kind;
    made.group.setAttribute("class", `node ${kind} ${state}${one.isStub ? " stub" : ""}${isCurrent ? " current" : ""}${isOver && this.line.has(at) ? " on-line" : ""}${edge ? " taken" : ""}`);
    made.value.textContent = value || (kind === "sum" ? "+" : "");
    made.badge.textContent = this.badge(one);
    made.edge?.setAttribute("class", `edge ${above} ${edge}`);
    made.group.setAttribute("aria-label", this.spoken(one, at, state, value, edge));
    if (isCurrent) made.group.setAttribute("aria-current", "step");
    else made.group.removeAttribute("aria-current");
    made.group.setAttribute("tabindex", at === this.focused ? "0" : "-1");
    if (edge) this.edges.append(made.edge); // above its neighbours
  }

  badge(one) {
    const { hidden } = this.graph[one.node];
    if (hidden !== undefined) return hiddenText(hidden);
    return one.isFolded ? `+${many(one.children.length)}` : "";
  }

  // The node in words, for those who hear the page.
  spoken(one, at, state, value, edge) {
    const { kind, title } = this.graph[one.node];
    const texts = [branchLabel(this.graph, this.drawn, at) || "root"];
    for (const { text, role } of one.lines) if (role === "odds" || role === "offset") texts.push(text);
    texts.push(KINDS[kind]);
    if (title) texts.push(title);
    if (one.isStub) texts.push("met before");
    texts.push({ ahead: kind === "terminal" ? `payoff ${value}, not examined yet` : "not visited yet", open: value ? `so far ${value}` : "being walked", known: `worth ${value}` }[state]);
    if (edge && edge !== "leading") texts.push("chosen");
    if (edge === "leading") texts.push("best so far");
    if (this.graph[one.node].hidden !== undefined) texts.push("what lies below is not in this page");
    return safe(texts.join(", "));
  }

  // --- moving about ---

  size() {
    this.svg.setAttribute("viewBox", `0 0 ${this.extent.width} ${this.extent.height}`);
    this.svg.setAttribute("width", Math.round(this.extent.width * this.scale));
    this.svg.setAttribute("height", Math.round(this.extent.height * this.scale));
  }

  zoom(factor) {
    const { stage } = this;
    const middle = [stage.scrollLeft + stage.clientWidth / 2, stage.scrollTop + stage.clientHeight / 2];
    const before = this.scale;
    this.scale = Math.min(SCALES[1], Math.max(SCALES[0], this.scale * factor));
    this.size();
    const grown = this.scale / before;
    stage.scrollTo(middle[0] * grown - stage.clientWidth / 2, middle[1] * grown - stage.clientHeight / 2);
  }

  // As much of the tree as can be read at once, the root in the middle.
  fit() {
    const { stage, extent } = this;
    const most = parseFloat(getComputedStyle(stage).maxHeight);
    const room = [(stage.clientWidth - 2) / extent.width, (most - 2) / extent.height];
    const fits = Math.min(...room, FITTING[1]);
    this.scale = fits >= FITTING[0] ? fits : Math.min(1, Math.max(room[0], READABLE));
    this.size();
    const root = this.drawn[0];
    stage.scrollTo(root.x * this.scale - stage.clientWidth / 2, 0);
  }

  // Bring a node into sight, if it is not.
  scrollTo(at) {
    if (!this.made.has(at)) return;
    const { stage, scale } = this;
    const one = this.drawn[at];
    const [x, y] = [one.x * scale, one.y * scale];
    const near = 70 * scale;
    const inside = (place, start, length) => place > start + near && place < start + length - near;
    if (!inside(x, stage.scrollLeft, stage.clientWidth)) stage.scrollLeft = x - stage.clientWidth / 2;
    if (!inside(y, stage.scrollTop, stage.clientHeight)) stage.scrollTop = y - stage.clientHeight / 2;
  }

  drag(event) {
    if (event.pointerType !== "mouse" || event.button || event.target === this.stage) return;
    const { stage } = this;
    const start = [event.clientX + stage.scrollLeft, event.clientY + stage.scrollTop];
    const moved = (next) => stage.scrollTo(start[0] - next.clientX, start[1] - next.clientY);
    stage.classList.add("dragged");
    addEventListener("pointermove", moved);
    addEventListener("pointerup", () => {
      removeEventListener("pointermove", moved);
      stage.classList.remove("dragged");
      this.wasDragged = Math.hypot(start[0] - event.clientX - stage.scrollLeft, start[1] - event.clientY - stage.scrollTop) > 4;
    }, { once: true });
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return; // plain wheels scroll
    event.preventDefault();
    this.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15);
  }

  clicked(event) {
    const at = this.nodeOf(event.target);
    if (at === undefined || this.wasDragged) return;
    this.focus(at);
    this.toggle(at);
  }

  nodeOf(target) {
    const group = target.closest?.(".node");
    return group ? Number(group.dataset.at) : undefined;
  }

  focusMoved(event) {
    const at = this.nodeOf(event.target);
    if (at === undefined || at === this.focused) return;
    this.made.get(this.focused)?.group.setAttribute("tabindex", "-1");
    this.focused = at;
    this.made.get(at).group.setAttribute("tabindex", "0");
  }

  focus(at) {
    const made = this.made.get(at);
    if (!made) return;
    made.group.setAttribute("tabindex", "0");
    made.group.focus({ preventScroll: true });
    this.scrollTo(at);
  }

  keyPressed(event) {
    const at = this.nodeOf(event.target);
    if (at === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const one = this.drawn[at];
    const place = this.visible.indexOf(at);
    const isUnfolded = one.children.length > 0 && !one.isFolded;
    const actions = {
      ArrowDown: () => this.focus(this.visible[place + 1]),
      ArrowUp: () => this.focus(this.visible[place - 1]),
      ArrowRight: () => (isUnfolded ? this.focus(one.children[0]) : this.toggle(at)),
      ArrowLeft: () => (isUnfolded && this.unfolded.has(at) ? this.toggle(at) : this.focus(one.parent)),
      Home: () => this.focus(0),
      End: () => this.focus(this.visible.at(-1)),
      Enter: () => this.toggle(at),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}

const hiddenText = (count) => (count ? `… ${many(count)} more` : "…");
const shorter = (exact, rounded) => (rounded.startsWith("≈") ? exact : rounded);
