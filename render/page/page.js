// The page: reads its data, and ties the controls to the walk, the tree and the table.

const data = JSON.parse(document.getElementById("game").textContent);
const byId = (id) => document.getElementById(id);
const ALGORITHM_NAMES = ["minimax", "expectimax", "expectiminimax"];
const MOST_NODES = 10_000; // of a game unfolded here
const FRAME = 10; // milliseconds of a frame that are spent on steps

// The graph of the page's data: see walk.js.
function readGraph({ texts, kinds, children, labels, weights, offset, title, note, states, known, hidden }, algorithms) {
  const names = { T: "terminal", X: "max", N: "min", C: "chance", S: "sum" };
  return [...kinds].map((letter, at) => {
    const below = children[at];
    const made = {
      kind: names[letter],
      offset: at in offset ? readExact(offset[at]) : ZERO,
      children: below,
      labels: labels[at].map((number) => texts[number]),
      weights: readWeights(letter, below.length, weights[at]),
      title: title[at] ?? "",
      note: note[at] ?? "",
      states: (states[at] ?? []).map(([name, ...args]) => ({ name: texts[name], args: args.map(readSetting) })),
    };
    if (!made.title && made.states.length) made.title = stateTitle(made.states[0]);
    if (at in known) {
      made.known = Object.fromEntries(algorithms.map((name, i) => [name, readExact(known[at][i])]));
      made.hidden = hidden[at];
    }
    return made;
  });
}

function readWeights(letter, count, weights) {
  if (weights === undefined) return new Array(count).fill(letter === "C" ? ratio(1n, BigInt(count || 1)) : ONE);
  if (typeof weights[0] === "string") return weights.map(readExact);
  const total = weights.reduce((sum, weight) => sum + BigInt(weight), 0n);
  return weights.map((weight) => ratio(BigInt(weight), total));
}

const page = {
  graph: readGraph(data.graph, data.algorithms ?? ALGORITHM_NAMES),
  algorithm: data.algorithm,
  step: 0,
  timer: 0,
  policy: data.policy,
  node: "",
  walks: new Map(), // by algorithm, of the graph that is shown
};
page.first = page.graph;
const tree = new TreeView(byId("tree"), byId("stage"));
const table = new StrategyTable(byId("strategy"), byId("strategy-note"));
let parameters;

// --- what is shown -----------------------------------------------------------------------

function walked() {
  if (!page.walks.has(page.algorithm)) page.walks.set(page.algorithm, walk(page.graph, page.algorithm));
  return page.walks.get(page.algorithm);
}

// Show the graph as the algorithm walks it, after as many steps as fit.
function refresh(step) {
  page.walked = walked();
  page.firstDrawn ??= page.walked.drawn;
  tree.take(page.graph, page.walked, sameShape(page.walked.drawn, page.firstDrawn) ? data.across : []);
  takeTable();
  byId("position").max = page.walked.steps.length;
  for (const button of byId("algorithms").children) button.setAttribute("aria-pressed", button.dataset.algorithm === page.algorithm);
  goTo(step);
}

function goTo(step) {
  const { steps } = page.walked;
  page.step = Math.min(Math.max(step, 0), steps.length);
  tree.show(page.step);
  table.show(page.step);
  tellStep();
}

function tellStep() {
  const { step, walked: { steps, drawn, values } } = page;
  const last = step ? steps[step - 1] : undefined;
  byId("message").textContent = last ? safe(message(page.graph, page.walked, last)) : firstMessage();
  byId("message").dataset.event = last?.event ?? "";
  byId("where").textContent = last ? wayTo(last.at) : "";
  byId("counter").textContent = `${many(step)} of ${many(steps.length)} steps`;
  byId("position").value = step;
  const isOver = step === steps.length;
  for (const id of ["back", "reset"]) byId(id).setAttribute("aria-disabled", step === 0);
  for (const id of ["step", "end"]) byId(id).setAttribute("aria-disabled", isOver); // no click would lose the focus
  const root = isOver ? values[0] : tree.running(drawn[0], step);
  const running = last ? (last.running ?? last.value) : null;
  const rows = [
    ["nodes visited", many(last?.visited ?? 0), "visited"],
    ["terminals examined", many(last?.terminals ?? 0), "terminals"],
    ["shared, not walked again", many(last?.shared ?? 0), "shared"],
    ["running value", running === null || running === undefined ? "–" : tableText(running), "running"],
    ["value of the root", root === null ? "–" : `${isOver ? "" : "so far "}${tableText(root)}`, "root"],
  ];
  if (isOver && tableText(root).includes("…")) rows.push(["exactly", exactText(root).length > LONG_FRACTION ? exactRemark(root).slice(7) : exactText(root), "exact"]);
  if (isOver && page.walked.best[0].length) {
    rows.push(["best", page.walked.best[0].slice(0, 20).map((i) => safe(page.graph[0].labels[i]) || '""').join(" or "), "best"]);
  }
  const line = isOver ? bestLine() : [];
  if (line.length > 1) rows.push(["line", line.slice(0, 20).join(" → ") + (line.length > 20 ? " …" : ""), "line"]);
  byId("statistics").replaceChildren(...rows.map(([name, text, id]) => {
    const part = document.createElement("div");
    const [term, value] = [document.createElement("dt"), document.createElement("dd")];
    term.textContent = name;
    value.textContent = text;
    value.id = `stat-${id}`;
    part.append(term, value);
    return part;
  }));
}

// The labels of the best branches from the root until chance decides.
function bestLine() {
  const { drawn } = page.walked;
  return principalLine(page.graph, page.walked).slice(1).filter((at) => page.graph[drawn[drawn[at].parent].node].kind !== "sum")
    .map((at) => safe(branchLabel(page.graph, drawn, at)) || '""');
}

// Where the walk is: the last labels of the way from the root.
function wayTo(at) {
  const labels = [];
  const { drawn } = page.walked;
  for (; drawn[at].parent >= 0 && labels.length < 8; at = drawn[at].parent) labels.unshift(safe(branchLabel(page.graph, drawn, at)) || '""');
  return `at ${[drawn[at].parent < 0 ? "root" : "…", ...labels].join(" › ")}`;
}

function firstMessage() {
  const count = page.graph.length;
  return `${ALGORITHM_TITLES[page.algorithm]} walks ${count === 1 ? "one node" : `${many(count)} nodes`} depth first: press Step, or Run.`;
}

const ALGORITHM_TITLES = { minimax: "Minimax", expectimax: "Expectimax", expectiminimax: "Expectiminimax" };

// --- walking -----------------------------------------------------------------------------

function stop() {
  clearTimeout(page.timer);
  page.timer = 0;
  byId("run").textContent = "Run";
  byId("message").setAttribute("aria-live", "polite");
  tellStep();
}

function run() {
  if (page.timer) return stop();
  if (page.step === page.walked.steps.length) goTo(0);
  byId("run").textContent = "Pause";
  byId("message").setAttribute("aria-live", "off"); // else every step would be read out
  page.timer = setTimeout(onward);
}

// The next step of a run: at full speed as many as a frame has time for.
function onward() {
  const speed = Number(byId("speed").value);
  const isFull = speed === Number(byId("speed").max);
  const most = page.walked.steps.length;
  goTo(page.step + (isFull ? Math.max(1, Math.ceil(most / 60)) : 1));
  if (page.step === most) return stop();
  page.timer = setTimeout(onward, isFull ? FRAME : 1400 * 0.6 ** speed);
}

function to(step) {
  if (page.timer) stop();
  goTo(step);
}

function setAlgorithm(name) {
  if (page.timer) stop();
  const [before, wasOver] = [page.algorithm, page.step > 0 && page.step === page.walked.steps.length];
  page.algorithm = name;
  try {
    refresh(wasOver ? Infinity : 0);
  } catch (error) {
    if (!(error instanceof RulesError)) throw error;
    page.algorithm = before;
    byId("message").textContent = `${ALGORITHM_TITLES[name]} cannot be shown: ${error.message}.`;
  }
}

// --- the table ---------------------------------------------------------------------------

function takeTable() {
  if (data.table && page.graph === page.first) {
    byId("strategy-part").hidden = false;
    byId("node-choice").hidden = byId("policy-choice").hidden = true;
    return table.takeTexts(data.table, data.policy);
  }
  const names = choosingNodes(page.graph);
  byId("strategy-part").hidden = !names.length;
  table.rows = undefined;
  if (!names.length) return;
  if (!names.includes(page.node)) page.node = names[0];
  options(byId("node"), names, page.node);
  byId("node-choice").hidden = names.length < 2;
  const policies = Object.keys(data.choices).length ? Object.keys(data.choices) : Object.keys(data.rules?.policies ?? {});
  options(byId("policy"), ["", ...policies], page.policy ?? "");
  byId("policy-choice").hidden = !policies.length;
  const choices = page.policy ? choicesOf(page.policy) : undefined;
  table.take(page.graph, page.walked, page.node, argumentNames(page.node), page.policy, choices);
}

function options(select, names, chosen) {
  select.replaceChildren(...names.map((name) => new Option(safe(name) || "no policy", name, false, name === chosen)));
}

function argumentNames(node) {
  return data.arguments[node];
}

function choicesOf(policy) {
  if (page.graph !== page.first) return policyChoices(data.rules, parameters.settings, policy, page.graph);
  return new Map(data.choices[policy].map(([node, pairs]) => [node, pairs.map(([i, p]) => [i, readExact(p)])]));
}

// --- parameters --------------------------------------------------------------------------

// Unfold the game for other settings and show what comes out; what makes no sense is said.
function settingsChanged(settings) {
  if (page.timer) stop();
  const before = [page.graph, page.walks];
  byId("problem").hidden = true;
  try {
    page.agrees ??= rulesAgree();
    if (!page.agrees) throw new RulesError("this page cannot work out other values of this game: use gametree eval --set");
    const isFirst = parameters.isFirst();
    page.graph = isFirst ? page.first : unfold(data.rules, settings, MOST_NODES);
    page.walks = new Map();
    refresh(Infinity);
  } catch (error) {
    if (!(error instanceof RulesError)) throw error;
    [page.graph, page.walks] = before;
    refresh(Infinity);
    byId("problem").textContent = `Not shown: ${safe(error.message)}.`;
    byId("problem").hidden = false;
  }
  parameters.show(new Names(data.rules, settings).constants);
  byId("defaults").disabled = parameters.isFirst();
}

// Whether the rules give here what the page was made with: asked when it first matters.
function rulesAgree() {
  if (data.isCut || !data.exact) return true;
  const settings = parameters.firstSettings;
  try {
    const found = walk(unfold(data.rules, settings, MOST_NODES), "expectiminimax");
    return exactText(found.values[0]) === data.value;
  } catch (error) {
    if (error instanceof RulesError) return false;
    throw error;
  }
}

// --- beginning ---------------------------------------------------------------------------

function tellGame() {
  byId("name").textContent = safe(data.name);
  const [lead, ...rest] = data.description.trim().split(/\n\s*\n/);
  byId("lead").textContent = lead.split("\n").map(safe).join(" ") + (data.at ? ` From ${data.at}.` : "");
  byId("description").textContent = rest.map((part) => part.split("\n").map(safe).join(" ")).join("\n\n");
  byId("about").hidden = !rest.length;
  const notes = [];
  if (data.isCut) {
    notes.push(`This game has ${many(data.size.nodes)} nodes and ${many(data.size.edges)} edges, more than a page can hold: the tree ends after its first levels, with values computed beforehand${data.table ? ", and the table has the first states" : ""}.`);
  }
  if (!data.exact) notes.push("Values are rounded.");
  byId("notice").textContent = notes.join(" ");
  byId("notice").hidden = !notes.length;
}

function drawLegend() {
  const meanings = { max: "MAX chooses", min: "MIN chooses", chance: "chance", terminal: "payoff", sum: "sum" };
  const kinds = new Set(page.graph.map(({ kind }) => kind));
  byId("legend").replaceChildren(...Object.keys(meanings).filter((kind) => kinds.has(kind)).map((kind) => {
    const item = document.createElement("li");
    const shape = outline(kind, 18, kind === "terminal" ? 13 : 16);
    shape.classList.add("shape");
    item.append(make("svg", { viewBox: "-12 -11 24 22", width: 22, height: 20, "aria-hidden": "true" }, make("g", { class: `node known ${kind}` }, shape)), data.players[kind] ? `${safe(data.players[kind])} (${KINDS[kind]})` : meanings[kind]);
    return item;
  }));
}

function begin() {
  tellGame();
  drawLegend();
  parameters = new Parameters(byId("parameters"), data.rules ? data.parameters : [], settingsChanged);
  byId("parameters-part").hidden = !parameters.controls.size;
  refresh(0);
}

for (const button of byId("algorithms").children) button.addEventListener("click", () => setAlgorithm(button.dataset.algorithm));
byId("step").addEventListener("click", () => to(page.step + 1));
byId("back").addEventListener("click", () => to(page.step - 1));
byId("run").addEventListener("click", run);
byId("end").addEventListener("click", () => to(Infinity));
byId("reset").addEventListener("click", () => to(0));
byId("position").addEventListener("input", () => to(Number(byId("position").value)));
byId("zoom-in").addEventListener("click", () => tree.zoom(1.25));
byId("zoom-out").addEventListener("click", () => tree.zoom(0.8));
byId("fit").addEventListener("click", () => tree.fit());
byId("unfold").addEventListener("click", () => { byId("unfold-note").hidden = tree.unfoldAll(); });
byId("fold").addEventListener("click", () => tree.fold());
byId("defaults").addEventListener("click", () => parameters.reset());
byId("node").addEventListener("change", () => { page.node = byId("node").value; takeTable(); table.show(page.step); });
byId("policy").addEventListener("change", () => { page.policy = byId("policy").value; takeTable(); table.show(page.step); });

const KEYS = {
  s: "step", b: "back", r: "run", e: "end", 0: "reset", f: "fit", "+": "zoom-in", "=": "zoom-in", "-": "zoom-out",
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=range]), select, textarea")) return;
  const key = event.key.toLowerCase();
  const number = ["1", "2", "3"].indexOf(key);
  const button = number < 0 ? byId(KEYS[key] ?? "") : byId("algorithms").children[number];
  if (!button) return;
  event.preventDefault();
  button.click();
});

begin();
