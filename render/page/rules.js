// The rules of a game: expressions evaluated exactly, and named nodes unfolded, for settings of
// the parameters that nobody computed before.
//
// Rules     {params, defines, forms, nodes, root, policies}, as render/page_rules.py writes them
// Values    numbers, true and false, texts, arrays, Ranges, Distributions
// Local     names are links of a chain, the innermost first: {name, value, outer, depth}
// Holds     a setting that makes no sense, or a game too large, is a RulesError
//
// It does what compiler/unfold.py does; the page holds it against what that made of the game.

const WORK = 5_000_000; // loop rounds, calls and operations
const NUMBER_BITS = 16384;
const LIST_ITEMS = 100_000;

class RulesError extends Error {}

class Range {
  constructor(low, high) {
    this.low = low;
    this.high = high;
  }

  get length() {
    return this.high < this.low ? 0 : Number(this.high - this.low) + 1;
  }

  * [Symbol.iterator]() {
    for (let n = this.low; n <= this.high; n++) yield new Fraction(n);
  }
}

class Distribution {
  constructor(values, odds) { // odds: integers above 0
    this.values = values;
    this.odds = odds;
    this.total = odds.reduce((sum, n) => sum + n, 0n);
  }

  [Symbol.iterator]() {
    return this.values[Symbol.iterator]();
  }
}

// --- values ------------------------------------------------------------------------------

function show(value) {
  if (isFloat(value)) return floatText(value);
  if (value instanceof Fraction) return exactText(value);
  if (value instanceof Range) return `${value.low}..${value.high}`;
  if (Array.isArray(value)) return `[${value.map(show).join(", ")}]`;
  return String(value);
}

const isList = (x) => Array.isArray(x) || x instanceof Range;
const asNumber = (x) => (typeof x === "boolean" ? (x ? ONE : ZERO) : x);

// Whether two values are the same; a range is the list of its numbers.
function same(a, b) {
  if (isList(a) && isList(b)) {
    if (a.length !== b.length) return false;
    const [left, right] = [list(a), list(b)];
    return left.every((x, i) => same(x, right[i]));
  }
  const [left, right] = [asNumber(a), asNumber(b)];
  return isNumber(left) && isNumber(right) ? compare(left, right) === 0 : a === b;
}

// A value as a number, or as true or false: where both may stand, each counts as the other.
function number(value) {
  if (!isNumber(asNumber(value))) throw new RulesError(`a number is needed here, not ${show(value)}`);
  return asNumber(value);
}

function integer(value, what) {
  if (!isWhole(value)) throw new RulesError(`${what} must be a whole number, and it is ${show(value)}`);
  return value.n;
}

function natural(value, what) {
  const n = integer(value, what);
  if (n < 0n) throw new RulesError(`${what} must not be negative, and it is ${n}`);
  return n;
}

function small(value, what, most = 10_000n) {
  const n = natural(value, what);
  if (n > most) throw new RulesError(`${what} is ${n}, too large for this page`);
  return Number(n);
}

function truth(value) {
  if (isNumber(value)) return !isZero(value);
  if (typeof value !== "boolean") throw new RulesError(`true or false is needed here, not ${show(value)}`);
  return value;
}

function list(value) {
  if (Array.isArray(value)) return value;
  if (value instanceof Range && value.length <= LIST_ITEMS) return [...value];
  throw new RulesError(value instanceof Range ? "a list too long for this page" : `a list is needed here, not ${show(value)}`);
}

// --- odds --------------------------------------------------------------------------------

// The probabilities of outcomes from their odds: each {mode: "none" | "p" | "rest" | "weight", amount}.
function probabilities(odds) {
  const modes = new Set(odds.map((one) => one.mode));
  if (modes.has("none")) {
    if (modes.size > 1) throw new RulesError("some outcomes have a probability and some have none");
    return odds.map(() => ratio(1n, BigInt(odds.length)));
  }
  const amounts = odds.map(({ mode, amount }) => (mode === "rest" ? ZERO : exactly(number(amount))));
  const total = amounts.reduce(add, ZERO);
  if (modes.has("weight")) {
    if (modes.size > 1) throw new RulesError("weights are mixed with probabilities");
    if (amounts.some((amount) => amount.n < 0n)) throw new RulesError("a weight is negative");
    if (isZero(total)) throw new RulesError("all weights are 0, so no outcome can happen");
    return amounts.map((amount) => divide(amount, total));
  }
  if (amounts.some((amount) => amount.n < 0n || compare(amount, ONE) > 0)) {
    throw new RulesError("a probability lies between 0 and 1");
  }
  const sharers = odds.filter(({ mode }) => mode === "rest").length;
  const left = subtract(ONE, total);
  if (odds.some(({ amount }) => isFloat(amount)) && Math.abs(toFloat(left)) < 1e-9) {
    return amounts.map((amount) => divide(amount, total));
  }
  if (left.n < 0n || (left.n > 0n && !sharers)) {
    throw new RulesError(`the outcomes' probabilities sum to ${show(total)}, not 1`);
  }
  return odds.map(({ mode }, i) => (mode === "rest" ? divide(left, whole(sharers)) : amounts[i]));
}

// A float as the fraction that it is.
function exactly(x) {
  if (!isFloat(x)) return x;
  let power = 0n;
  while (!Number.isInteger(x)) [x, power] = [x * 2, power + 1n];
  return ratio(BigInt(x), 1n << power);
}

function distribution(values, chances) {
  const divisor = chances.reduce((all, { d }) => all / gcd(all, d) * d, 1n);
  const merged = new Map();
  values.forEach((value, i) => {
    const odds = chances[i].n * (divisor / chances[i].d);
    const key = show(value);
    if (odds) merged.set(key, { value, odds: (merged.get(key)?.odds ?? 0n) + odds });
  });
  const entries = [...merged.values()];
  return new Distribution(entries.map((entry) => entry.value), entries.map((entry) => entry.odds));
}

// --- built-in functions ------------------------------------------------------------------

function choose(n, k) {
  let ways = 1n;
  for (let i = 0n; i < k; i++) ways = ways * (n - i) / (i + 1n);
  return k > n ? 0n : ways;
}

function factorial(n) {
  let product = 1n;
  for (let i = 2n; i <= n; i++) product *= i;
  return product;
}

function dice(count, sides) {
  let odds = [1n];
  for (let i = 0; i < count; i++) {
    let window = 0n;
    odds = Array.from({ length: odds.length + sides - 1 }, (_, s) => {
      window += (odds[s] ?? 0n) - (odds[s - sides] ?? 0n);
      return window;
    });
  }
  return new Distribution(odds.map((_, s) => whole(count + s)), odds);
}

function* sortedRolls(count, sides, least = 1) {
  if (!count) yield [];
  for (let face = least; count && face <= sides; face++) {
    for (const more of sortedRolls(count - 1, sides, face)) yield [face, ...more];
  }
}

function roll(count, sides) {
  const rolls = [...sortedRolls(count, sides)];
  const odds = rolls.map((faces) => {
    const counts = Map.groupBy(faces, (face) => face);
    return [...counts.values()].reduce((ways, some) => ways / factorial(BigInt(some.length)), factorial(BigInt(count)));
  });
  return new Distribution(rolls.map((faces) => faces.map(whole)), odds);
}

// `count` items of a deck without replacement: hands by size, one kind of card after the other.
function draw(count, deck) {
  const kinds = [...Map.groupBy(deck, show).values()];
  const hands = new Map([[0, [{ hand: [], ways: 1n }]]]);
  for (const copies of kinds) {
    for (const size of [...hands.keys()].sort((a, b) => b - a)) {
      for (let k = 1; k <= Math.min(copies.length, count - size); k++) {
        const more = hands.get(size).map(({ hand, ways }) => ({
          hand: [...hand, ...copies.slice(0, k)], ways: ways * choose(BigInt(copies.length), BigInt(k)),
        }));
        hands.set(size + k, [...(hands.get(size + k) ?? []), ...more]);
      }
    }
  }
  const made = hands.get(count) ?? [];
  return new Distribution(made.map(({ hand }) => hand), made.map(({ ways }) => ways));
}

function extreme(sign) {
  return (...values) => {
    const items = values.length === 1 ? list(values[0]) : values;
    if (!items.length) throw new RulesError("the least or largest of an empty list");
    return items.reduce((best, item) => (sign * compare(number(item), number(best)) > 0 ? item : best));
  };
}

function approximate(name, run) {
  return (x) => {
    const value = run(toFloat(number(x)));
    if (!Number.isFinite(value)) throw new RulesError(`${name}(${show(x)}) is not a number`);
    return value;
  };
}

const BUILTINS = {
  abs: (x) => absolute(number(x)),
  floor: (x) => floor(number(x)),
  ceil: (x) => negative(floor(negative(number(x)))),
  comb: (n, k) => new Fraction(choose(natural(n, "n"), BigInt(small(k, "k")))),
  factorial: (n) => new Fraction(factorial(BigInt(small(n, "the argument of factorial", 1500n)))),
  popcount: (n) => whole(natural(n, "the argument of popcount").toString(2).replaceAll("0", "").length),
  len: (items) => whole(items.length ?? list(items).length),
  put: (items, i, value) => {
    at(items, i);
    return list(items).with(Number(i.n), value);
  },
  sorted: (items) => list(items).map(number).sort(compare),
  sum: (items) => list(items).reduce((sum, x) => add(sum, number(x)), ZERO),
  any: (items) => list(items).some(truth),
  all: (items) => list(items).every(truth),
  count: (items) => whole(list(items).filter(truth).length),
  min: extreme(-1),
  max: extreme(1),
  dice: (n, sides) => dice(small(n, "the number of dice", 200n), small(sides, "the number of sides", 1000n)),
  roll: (n, sides) => {
    const [count, faces] = [small(n, "the number of dice", 20n), small(sides, "the number of sides", 100n)];
    if (choose(BigInt(count + faces - 1), BigInt(count)) > 20_000n) throw new RulesError("a roll with too many outcomes");
    return roll(count, faces);
  },
  draw: (n, deck) => {
    const [count, cards] = [small(n, "the number of cards"), list(deck)];
    if (count > cards.length) throw new RulesError(`cannot draw ${count} out of ${cards.length}`);
    if (choose(BigInt(cards.length), BigInt(count)) > 200_000n) throw new RulesError("a draw with too many outcomes");
    return draw(count, cards);
  },
  sqrt: approximate("sqrt", Math.sqrt),
  exp: approximate("exp", Math.exp),
  log: approximate("log", Math.log),
};

function at(items, index) {
  const i = integer(index, "an index");
  if (i < 0n || i >= BigInt(items.length)) throw new RulesError(`there is no item ${i} in a list of ${items.length}`);
  return items instanceof Range ? new Fraction(items.low + i) : items[Number(i)];
}

function power(base, exponent) {
  if (isFloat(base) || isFloat(exponent)) return toFloat(base) ** toFloat(exponent);
  const n = integer(exponent, "an exponent");
  if (n < 0n && isZero(base)) throw new RulesError("division by zero: 0 to a negative power");
  const size = positive(n);
  if (BigInt(Math.max(bits(base.n), bits(base.d)) - 1) * size > BigInt(NUMBER_BITS)) throw new RulesError("a number here grows too long");
  const [top, bottom] = [base.n ** size, base.d ** size];
  return n < 0n ? ratio(bottom, top) : new Fraction(top, bottom);
}

function nonZero(x) {
  if (isZero(x)) throw new RulesError("division by zero");
  return x;
}

const bitwise = (run) => (a, b) => new Fraction(run(integer(a, "a side of a bit operation"), integer(b, "a side of a bit operation")));

const OPERATORS = {
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": (a, b) => divide(a, nonZero(b)),
  "//": (a, b) => floor(divide(a, nonZero(b))),
  "%": (a, b) => subtract(a, multiply(b, floor(divide(a, nonZero(b))))),
  "**": power,
  "&": bitwise((a, b) => a & b),
  "|": bitwise((a, b) => a | b),
  "^": bitwise((a, b) => a ^ b),
  "<<": (a, b) => new Fraction(integer(a, "the left side of <<") << BigInt(small(b, "the right side of <<"))),
  ">>": (a, b) => new Fraction(integer(a, "the left side of >>") >> BigInt(small(b, "the right side of >>"))),
};

const COMPARISONS = {
  "==": (a, b) => same(a, b),
  "!=": (a, b) => !same(a, b),
  "<": (a, b) => compare(number(a), number(b)) < 0,
  "<=": (a, b) => compare(number(a), number(b)) <= 0,
  ">": (a, b) => compare(number(a), number(b)) > 0,
  ">=": (a, b) => compare(number(a), number(b)) >= 0,
  in: (a, b) => contains(b, a),
  "not in": (a, b) => !contains(b, a),
};

function contains(items, value) {
  if (items instanceof Range) return isWhole(value) && items.low <= value.n && value.n <= items.high;
  return [...items].some((item) => same(item, value));
}

// --- expressions -------------------------------------------------------------------------

const bind = (outer, name, value) => ({ name, value, outer, depth: (outer?.depth ?? 0) + 1 });

// The values of a game's parameters and definitions, and the work that evaluating takes.
class Names {
  constructor(rules, settings) {
    this.defines = rules.defines;
    this.constants = new Map();
    this.work = WORK;
    for (const [name, expr] of rules.params) {
      this.constants.set(name, settings.has(name) ? settings.get(name) : this.value(expr, null));
    }
  }

  spend(work = 1) {
    this.work -= work;
    if (this.work < 0) throw new RulesError("with these settings the game takes too much work for this page");
  }

  // The value of an expression, an array [kind, …parts], for the local names `env`.
  value(expr, env) {
    this.spend();
    const value = this[expr[0]](expr, env);
    if (value instanceof Fraction && typeof value.n === "bigint" && value.d.toString(16).length * 4 > NUMBER_BITS) {
      throw new RulesError("a number here grows too long");
    }
    return value;
  }

  values(exprs, env) {
    return exprs.map((expr) => this.value(expr, env));
  }

  number(expr) {
    return (expr[2] ??= readExact(expr[1])); // read once
  }

  truth([, value]) {
    return value;
  }

  text([, pieces], env) {
    return pieces.map((piece) => (typeof piece === "string" ? piece : show(this.value(piece, env)))).join("");
  }

  name([, name], env) {
    for (let link = env; link; link = link.outer) if (link.name === name) return link.value;
    return this.constants.has(name) ? this.constants.get(name) : this.defined(name, []);
  }

  defined(name, values) {
    const [names, body] = this.defines[name];
    const value = this.value(body, names.reduce((env, one, i) => bind(env, one, values[i]), null));
    if (!names.length) this.constants.set(name, value);
    return value;
  }

  unary([, operator, operand], env) {
    const value = this.value(operand, env);
    if (operator === "not") return !truth(value);
    if (operator === "~") return new Fraction(~integer(value, "the operand of ~"));
    return operator === "-" ? negative(number(value)) : number(value);
  }

  binary([, operator, left, right], env) {
    if (operator === "and") return truth(this.value(left, env)) && truth(this.value(right, env));
    if (operator === "or") return truth(this.value(left, env)) || truth(this.value(right, env));
    return OPERATORS[operator](number(this.value(left, env)), number(this.value(right, env)));
  }

  compare([, operands, operators], env) {
    let left = this.value(operands[0], env);
    return operators.every((operator, i) => {
      const right = this.value(operands[i + 1], env);
      const holds = COMPARISONS[operator](left, right);
      left = right;
      return holds;
    });
  }

  if([, condition, yes, no], env) {
    return this.value(truth(this.value(condition, env)) ? yes : no, env);
  }

  let([, name, value, body], env) {
    return this.value(body, bind(env, name, this.value(value, env)));
  }

  list([, items], env) {
    return this.values(items, env);
  }

  index([, base, index], env) {
    return at(this.value(base, env), this.value(index, env));
  }

  range([, low, high], env) {
    return new Range(integer(this.value(low, env), "the start of a range"), integer(this.value(high, env), "the end of a range"));
  }

  call([, name, parts], env) {
    const values = this.values(parts, env);
    return name in this.defines ? this.defined(name, values) : BUILTINS[name](...values);
  }

  loop([, name, element, clauses], env) {
    const items = [...this.rounds(clauses, 0, env, (inner) => this.value(element, inner))];
    return name ? BUILTINS[name](items) : items;
  }

  * rounds(clauses, level, env, make) {
    if (level === clauses.length) {
      yield make(env);
      return;
    }
    const [name, source, conditions] = clauses[level];
    for (const value of this.items(this.value(source, env))) {
      const inner = bind(env, name, value);
      if (conditions.every((condition) => truth(this.value(condition, inner)))) yield* this.rounds(clauses, level + 1, inner, make);
    }
  }

  // What a loop goes over, its length paid for.
  items(source) {
    if (!(isList(source) || source instanceof Distribution)) {
      throw new RulesError(`a loop goes over a list, not over ${show(source)}`);
    }
    this.spend(source.length ?? source.values.length);
    return source;
  }

  dice([, count, sides]) {
    return BUILTINS.dice(whole(count), whole(sides));
  }

  table([, entries], env) {
    const values = entries.map(([key]) => this.value(key, env));
    const odds = entries.map(([, weight]) => (weight ? { mode: "p", amount: this.value(weight, env) } : { mode: "rest" }));
    return distribution(values, probabilities(odds));
  }
}

// --- unfolding ---------------------------------------------------------------------------

// A graph for some settings: what the page shows, as `readGraph` makes it of the page's data.
function unfold(rules, settings, mostNodes) {
  return new Unfolder(rules, new Names(rules, settings), mostNodes).run();
}

class Unfolder {
  constructor(rules, names, mostNodes) {
    this.rules = rules;
    this.names = names;
    this.mostNodes = mostNodes;
    this.nodes = [];
    this.states = new Map(); // a state's key -> its node
    this.open = [];
  }

  run() {
    this.resolve(this.rules.root, null);
    for (const { node, form, env, terms } of this.open) { // it grows
      if (terms) this.addTerms(node, terms);
      else this.addBranches(node, form, env);
    }
    return this.nodes;
  }

  add(kind, form, offset) {
    if (this.nodes.length >= this.mostNodes) throw new RulesError("with these settings the game is too large for this page");
    const node = { kind, offset: number(offset), children: [], labels: [], weights: [], title: form.label ?? "", note: form.note ?? "", states: [] };
    return this.nodes.push(node) - 1;
  }

  // The node that a form comes to: calls, `if` and `let` are followed and cost none.
  resolve(at, env) {
    const passed = new Map();
    let node;
    while (node === undefined) {
      const form = this.rules.forms[at];
      if (form.shared) {
        env = outermost(env, form.needs, form.depth);
        node = this.pass(`${at} ${linksText(env)}`, passed);
      }
      if (node === undefined) [node, at, env] = this.follow(at, form, env, passed);
    }
    for (const [key, state] of passed) {
      this.states.set(key, node);
      if (state) this.nodes[node].states.push(state);
    }
    if (!this.nodes[node].title && this.nodes[node].states.length) this.nodes[node].title = stateTitle(this.nodes[node].states[0]);
    return node;
  }

  // The node of a form, or the form and local names to go on with.
  follow(at, form, env, passed) {
    if (form.is === "visit") {
      const state = this.state(form, env);
      const body = this.rules.nodes[form.target];
      const inner = body.args.reduce((link, [name], i) => bind(link, name, state.args[i]), null);
      return [this.pass(stateTitle(state), passed, state), body.form, inner];
    }
    if (form.is === "choose") {
      return [undefined, truth(this.names.value(form.condition, env)) ? form.yes : form.no, env];
    }
    if (form.is === "bind") {
      return [undefined, form.body, bind(env, form.name, this.names.value(form.value, env))];
    }
    if (form.is === "sum") {
      const { constant, terms } = this.terms(form, env);
      if (terms.length === 1 && isZero(constant) && compare(terms[0].factor, ONE) === 0) {
        return [undefined, terms[0].at, terms[0].env];
      }
      const node = this.add(terms.length ? "sum" : "terminal", form, constant);
      if (terms.length) this.open.push({ node, terms });
      return [node];
    }
    if (form.is === "payoff") return [this.add("terminal", form, this.names.value(form.value, env))];
    const node = this.add(form.is, form, form.reward ? this.names.value(form.reward, env) : ZERO);
    this.open.push({ node, form, env });
    return [node];
  }

  pass(key, passed, state) {
    const node = this.states.get(key);
    if (node === undefined && passed.has(key)) throw new RulesError(`play goes round in circles at ${key}`);
    if (node === undefined) passed.set(key, state);
    this.names.spend();
    return node;
  }

  state(form, env) {
    const { name, args } = this.rules.nodes[form.target];
    const values = this.names.values(form.args, env);
    return { name, args: values.map((value, i) => this.fitting(args[i][0], args[i][1], value)) };
  }

  // The value of an argument, if it is what the argument's declaration says.
  fitting(name, kind, value) {
    const wrong = (what) => new RulesError(`\`${name}\` is ${show(value)}, ${what}`);
    if (kind === null || kind === "number") return value;
    if (kind === "bool") {
      if (typeof value !== "boolean") throw wrong("and must be true or false");
      return value;
    }
    if (kind[0] === "of") {
      const items = list(value);
      if (whole(items.length).n !== integer(this.names.value(kind[1], null), "a length")) throw wrong("a list of another length");
      return items.map((item) => this.fitting(name, kind[2], item));
    }
    if (!isWhole(value)) throw wrong("and must be a whole number");
    if (kind === "int") return value;
    const range = this.names.value(kind, null);
    if (!contains(range, value)) throw wrong(`outside its range ${show(range)}`);
    return value;
  }

  // Follow `if` and `let` to what is written there.
  settle(at, env) {
    let form = this.rules.forms[at];
    while ((form.is === "choose" || form.is === "bind") && !form.shared) {
      [, at, env] = this.follow(at, form, env);
      form = this.rules.forms[at];
    }
    return [at, form, env];
  }

  // A sum's constant and its terms, written payoffs taken into the constant.
  terms(form, env) {
    let constant = form.constant ? this.names.value(form.constant, env) : ZERO;
    const terms = [];
    for (const [factorExpr, term] of form.terms) {
      const factor = factorExpr ? this.names.value(factorExpr, env) : ONE;
      const [at, inner, innerEnv] = this.settle(term, env);
      if (isZero(factor)) continue;
      if (inner.is === "payoff" && !inner.shared) {
        constant = add(constant, multiply(factor, this.names.value(inner.value, innerEnv)));
      } else if (inner.is === "sum" && !inner.shared) {
        const more = this.terms(inner, innerEnv);
        constant = add(constant, multiply(factor, more.constant));
        terms.push(...more.terms.map((one) => ({ ...one, factor: multiply(factor, one.factor) })));
      } else {
        terms.push({ factor, at, env: innerEnv });
      }
    }
    return { constant, terms };
  }

  addTerms(node, terms) {
    this.nodes[node].weights = terms.map(({ factor }) => factor);
    this.nodes[node].children = terms.map(({ at, env }) => this.resolve(at, env));
  }

  addBranches(node, form, env) {
    let found = [];
    for (const branch of form.branches) {
      if (branch.loop) found = found.concat(this.loop(branch, env));
      else if (!branch.condition || truth(this.names.value(branch.condition, env))) found.push({ label: branch.label, at: branch.form, env, ...this.odds(branch.odds, env) });
    }
    if (!found.length) throw new RulesError("there is a node without any branch");
    const isChance = form.is === "chance";
    const chances = isChance ? probabilities(found) : found.map(() => ONE);
    if (!isChance && new Set(found.map(({ label }) => label)).size < found.length) throw new RulesError("two branches have the same label");
    const taken = found.filter((_, i) => !isZero(chances[i]));
    const made = this.nodes[node];
    made.weights = chances.filter((chance) => !isZero(chance));
    made.labels = taken.map(({ label }) => label);
    made.children = taken.map((outcome) => this.resolve(outcome.at, outcome.env));
  }

  odds(odds, env) {
    if (!odds) return { mode: "none" };
    return { mode: odds[0], amount: odds[1] ? this.names.value(odds[1], env) : undefined };
  }

  // The branches that a loop makes; an inner loop's odds are multiplied with the outer one's.
  loop(loop, env) {
    const source = this.names.items(this.names.value(loop.source, env));
    const rounds = [];
    let i = 0;
    for (const value of source) {
      const inner = bind(env, loop.loop, value);
      const own = source instanceof Distribution ? { mode: "p", amount: ratio(source.odds[i], source.total) } : { mode: "none" };
      if (!loop.condition || truth(this.names.value(loop.condition, inner))) {
        rounds.push({ value, env: inner, ...(loop.odds ? this.odds(loop.odds, inner) : own) });
      }
      i += 1;
    }
    return rounds.flatMap((round) => this.round(loop, round, rounds.length));
  }

  round(loop, { value, env, mode, amount }, count) {
    const label = loop.label ? this.names.value(loop.label, env) : undefined;
    if (!loop.body.loop) return [{ label: label ?? show(value), at: loop.body, env, mode, amount }];
    const inner = this.loop(loop.body, env);
    for (const outcome of inner) {
      if (label !== undefined || !hasLabel(loop.body)) outcome.label = `${label ?? show(value)}, ${outcome.label}`;
      const modes = [mode, outcome.mode];
      if (modes.every((one) => one === "none")) continue;
      if (modes.includes("rest")) throw new RulesError("`rest` cannot stand on one of two nested loops");
      const outer = mode === "none" ? ratio(1n, BigInt(count)) : amount;
      const second = outcome.mode === "none" ? ratio(1n, BigInt(inner.length)) : outcome.amount;
      outcome.mode = modes.includes("weight") ? "weight" : "p";
      outcome.amount = multiply(outer, second);
    }
    return inner;
  }
}

function hasLabel(loop) {
  for (; loop.loop; loop = loop.body) if (loop.label) return true;
  return false;
}

const stateTitle = ({ name, args }) => (args.length ? `${name}(${args.map(show).join(", ")})` : name);

function linksText(env) {
  const texts = [];
  for (let link = env; link; link = link.outer) texts.push(link.name ? show(link.value) : "");
  return texts.join();
}

// The outermost `needs` local names, with nameless ones up to `depth`.
function outermost(env, needs, depth) {
  while (env && env.depth > needs) env = env.outer;
  while ((env?.depth ?? 0) < depth) env = bind(env, undefined, undefined);
  return env;
}

// What a policy takes at each choice node that it speaks of: [position, probability] pairs.
function policyChoices(rules, settings, policy, nodes) {
  const names = new Names(rules, settings);
  const choices = new Map();
  for (const rule of rules.policies[policy]) {
    nodes.forEach((node, i) => {
      if (choices.has(i) || !["max", "min"].includes(node.kind)) return;
      const state = rule.node === null ? (i === 0 ? { args: [] } : undefined) : node.states.find(({ name }) => name === rule.node);
      if (!state) return;
      const env = rule.args.reduce((link, name, k) => bind(link, name, state.args[k]), null);
      const taken = names.value(rule.code, env);
      const pairs = taken instanceof Distribution ? taken.values.map((label, k) => [label, ratio(taken.odds[k], taken.total)]) : [[taken, ONE]];
      choices.set(i, pairs.map(([label, p]) => {
        const position = node.labels.indexOf(label);
        if (position < 0) throw new RulesError(`policy "${policy}": there is no branch "${show(label)}" at ${node.title}`);
        return [position, p];
      }));
    });
  }
  return choices;
}
