// The depth-first walk through a game, all of its steps at once, and what is worded of each.
//
// Graph     nodes {kind, offset, children, labels, weights, title, note, states}; weights are the
//           probabilities of a chance node and the factors of a sum. A node that is `cut` has its
//           value for each algorithm in `known`, and `hidden` nodes below it are not in the graph.
// Drawing   the graph as a tree: nodes in preorder, a node met again being a stub
// Holds     the steps and messages are those of `gametree trace`

const MOST_EFFORT = 6e8; // with exact numbers: (hexadecimal digits) ** 2, summed over the edges

const ALGORITHMS = {
  minimax: { max: "highest", min: "lowest", chance: "lowest" },
  expectimax: { max: "highest", min: "average", chance: "expected" },
  expectiminimax: { max: "highest", min: "lowest", chance: "expected" },
};

// The tree that is drawn: {node, parent, position, depth, stubOf, children}, parents first.
function drawnTree(graph) {
  const drawn = [];
  const firstAt = new Map();
  const waiting = [[0, -1, 0, 0]];
  while (waiting.length) {
    const [node, parent, position, depth] = waiting.pop();
    const here = drawn.length;
    const first = firstAt.get(node);
    if (first === undefined) firstAt.set(node, here);
    drawn.push({ node, parent, position, depth, stubOf: first ?? -1, children: [], returns: [] });
    if (parent >= 0) drawn[parent].children.push(here);
    if (first !== undefined) continue;
    const { children } = graph[node];
    for (let i = children.length - 1; i >= 0; i--) waiting.push([children[i], here, i, depth + 1]);
  }
  return drawn;
}

// Whether two drawn trees are alike but for their numbers and texts.
function sameShape(a, b) {
  return a.length === b.length && a.every(({ parent }, at) => parent === b[at].parent);
}

// The running figure of a node: each child's value makes another one.
function tally(rule, weights) {
  let figure = null;
  let count = 0;
  const takers = {
    highest: (value) => (figure === null || compare(value, figure) > 0 ? value : figure),
    lowest: (value) => (figure === null || compare(value, figure) < 0 ? value : figure),
    average: (value) => divide(add(multiply(figure ?? ZERO, whole(count)), value), whole(count + 1)),
    expected: (value) => {
      const part = multiply(weights[count], value);
      return figure === null ? part : add(figure, part);
    },
  };
  return (value) => {
    figure = takers[rule](value);
    count += 1;
    return figure;
  };
}

// The walk through a graph: {drawn, steps, values, best, order}.
//
// Steps are {event, at, child, value, running, before, visited, terminals, shared}; `at` and
// `child` are positions in `drawn`, whose nodes get the steps at which they are met (`met`), done
// (`known`) and at which their children return (`returns`). `values` and `best` (positions of the
// best children) are by node of the graph; `order` has its nodes with children before parents.
// Exact numbers that would take a browser too long are a RulesError.
function walk(graph, algorithm) {
  const drawn = drawnTree(graph);
  const rules = { ...ALGORITHMS[algorithm], sum: "expected" };
  const values = new Array(graph.length);
  const best = graph.map(() => []);
  const order = [];
  const steps = [];
  const counts = { visited: 0, terminals: 0, shared: 0 };
  let effort = 0;

  function say(event, at, more) {
    if (event === "enter" || event === "terminal") counts.visited += 1;
    if (event === "terminal") counts.terminals += 1;
    if (event === "shared") counts.shared += 1;
    steps.push({ event, at, child: -1, value: null, running: null, before: null, ...more, ...counts });
  }

  // Meet a node; what is not entered is known at once.
  function meet(at) {
    const one = drawn[at];
    const node = graph[one.node];
    one.met = steps.length;
    if (one.stubOf >= 0) say("shared", at, { value: values[one.node] });
    else if (node.known) known(at, "cut", node.known[algorithm]);
    else if (node.kind === "terminal") known(at, "terminal", node.offset);
    else {
      say("enter", at);
      open.push({ at, next: 0, take: tally(rules[node.kind], node.weights), running: null });
      return false;
    }
    one.known = one.met;
    return true;
  }

  function known(at, event, value) {
    values[drawn[at].node] = value;
    order.push(drawn[at].node);
    say(event, at, { value });
  }

  function finish(frame) {
    const { node } = drawn[frame.at];
    const { offset, children, kind } = graph[node];
    values[node] = add(frame.running, offset);
    if (["highest", "lowest"].includes(rules[kind])) {
      best[node] = children.flatMap((child, i) => (compare(values[child], frame.running) === 0 ? [i] : []));
    }
    effort += isFloat(values[node]) ? 0 : children.length * values[node].d.toString(16).length ** 2;
    if (effort > MOST_EFFORT) throw new RulesError("the numbers grow too long for this page");
    order.push(node);
    drawn[frame.at].known = steps.length;
    say("done", frame.at, { value: values[node], running: frame.running });
  }

  function giveBack(frame, child) {
    const value = values[drawn[child].node];
    const before = frame.running;
    frame.running = frame.take(value);
    drawn[frame.at].returns.push(steps.length);
    say("return", frame.at, { child, value, running: frame.running, before });
  }

  const open = [];
  meet(0);
  while (open.length) {
    const frame = open.at(-1);
    const child = drawn[frame.at].children[frame.next++];
    if (child === undefined) {
      open.pop();
      finish(frame);
      if (open.length) giveBack(open.at(-1), frame.at);
    } else if (meet(child)) giveBack(frame, child);
  }
  return { drawn, steps, values, best, order, rules };
}

// The value of the root where `choices` are followed: see `policyChoices`.
function policyValue(graph, { order, rules }, choices) {
  const values = new Array(graph.length);
  for (const node of order) {
    const { kind, offset, children, weights } = graph[node];
    if (!children.length) values[node] = offset;
    else if (choices.has(node)) {
      values[node] = choices.get(node).reduce((sum, [i, p]) => add(sum, multiply(p, values[children[i]])), offset);
    } else {
      const take = tally(rules[kind], weights);
      values[node] = add(children.reduce((_, child) => take(values[child]), null), offset);
    }
  }
  return values[0];
}

// The drawn nodes from the root along the best branches, until chance decides or play ends.
function principalLine(graph, { drawn, best }) {
  const line = [0];
  for (let at = 0; ;) {
    const one = drawn[at];
    const { kind, children } = graph[one.node];
    const next = best[one.node].length ? best[one.node][0] : kind === "sum" && children.length === 1 ? 0 : -1;
    if (next < 0 || !one.children.length) return line;
    at = one.children[next];
    line.push(at);
  }
}

// --- words -------------------------------------------------------------------------------

const NOUNS = { max: ["branch", "branches"], min: ["branch", "branches"], chance: ["outcome", "outcomes"], sum: ["term", "terms"] };
const KINDS = { max: "MAX", min: "MIN", chance: "chance", sum: "sum", terminal: "payoff" };
const RULES = {
  highest: "takes the largest value", lowest: "takes the smallest value",
  average: "takes the average", expected: "takes the sum of p × value",
};
const NAMED = 6; // best branches that are named
const NUMBER = /^-?[0-9][0-9.]*(\/[0-9]+)?$/;

const many = (n) => n.toLocaleString("en");

// What happens in a step, in plain words.
function message(graph, walked, step) {
  const { drawn, rules } = walked;
  const one = drawn[step.at];
  const node = graph[one.node];
  const rule = rules[node.kind];
  const branch = (label, kind) => (NUMBER.test(label) ? `${NOUNS[kind][0]} ${label}` : label || '""');
  const label = (at) => branchLabel(graph, drawn, at);
  const name = (at) => (at ? branch(label(at), graph[drawn[drawn[at].parent].node].kind) : "root");
  const title = node.title ? `${name(step.at)}, ${node.title}` : name(step.at);
  const plus = node.offset && !isZero(node.offset);
  const less = plus && compare(node.offset, ZERO) < 0;

  if (step.event === "enter") {
    const count = node.children.length;
    const decides = node.kind === "sum" ? "takes the sum of factor × value" : RULES[rule];
    const own = plus ? (less ? `, less ${stepText(negative(node.offset))}` : `, plus ${stepText(node.offset)}`) : "";
    return `${title}: ${KINDS[node.kind]}, ${many(count)} ${NOUNS[node.kind][count === 1 ? 0 : 1]}; ${decides}${own}`;
  }
  if (step.event === "terminal") return `${title}: payoff ${stepText(step.value)}`;
  if (step.event === "shared") return `${title}: visited before, worth ${stepText(step.value)}`;
  if (step.event === "cut") return `${title}: worth ${stepText(step.value)}; what lies below is not in this page`;
  if (step.event === "return") {
    const said = `${name(step.child)} returns ${stepText(step.value)}`;
    if (rule === "expected") return said + product(step, node.weights[drawn[step.child].position], node.kind);
    if (rule === "average") return `${said}; the average so far is ${stepText(step.running)}`;
    return said + bestSoFar(step, rule === "highest" ? "largest" : "smallest");
  }
  const sum = plus ? `${stepText(step.running)} ${less ? "-" : "+"} ${stepText(absolute(node.offset))} = ` : "";
  const best = walked.best[one.node].map((i) => branch(node.labels[i], node.kind));
  const more = best.length > NAMED ? ` or ${many(best.length - NAMED)} more` : "";
  return `${title} is worth ${sum}${stepText(step.value)}${best.length ? `, by ${best.slice(0, NAMED).join(" or ")}${more}` : ""}`;
}

// The label of the edge that leads to a drawn node; the terms of a sum have none.
function branchLabel(graph, drawn, at) {
  const { parent, position } = drawn[at];
  if (parent < 0) return "";
  const above = graph[drawn[parent].node];
  return above.kind === "sum" && !above.labels.length ? `term ${position + 1}` : above.labels[position];
}

function bestSoFar({ value, running, before }, which) {
  const best = `the ${which} so far`;
  if (before === null || compare(running, before) !== 0) return `, ${best}`;
  return compare(value, before) === 0 ? `, equal to ${best}` : `; ${best} stays ${stepText(running)}`;
}

// `: 1 + 1/3 × 12 = 5`.
function product({ value, running, before }, factor, kind) {
  const bracketed = (x) => (stepText(x).startsWith("-") ? `(${stepText(x)})` : stepText(x));
  const isPlain = kind === "sum" && compare(factor, ONE) === 0;
  const part = isPlain ? bracketed(value) : `${bracketed(factor)} × ${bracketed(value)}`;
  if (before !== null) return `: ${stepText(before)} + ${part} = ${stepText(running)}`;
  return isPlain ? "" : `: ${part} = ${stepText(running)}`;
}
