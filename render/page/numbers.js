// Numbers: exact rationals, and floats in games with `sqrt`, `exp` or `log`.
//
// A number is a Fraction or, where the game is approximate, a plain number. The texts are those
// of the command line: `…` ends digits that go on, `≈` stands before a rounded number.

const DIGITS = 10;
const WHOLE_DIGITS = 15; // integers up to here are written out
const SHORT_FRACTION = 11; // characters
const LONG_FRACTION = 48;
const PICTURE_DIGITS = 6;
const STEP = 24; // characters of a number in a message
const PICTURE_FRACTION = 7;

class Fraction {
  constructor(n, d = 1n) { // in lowest terms, d above 0: `ratio` sees to it
    this.n = n;
    this.d = d;
  }
}

const ZERO = new Fraction(0n);
const ONE = new Fraction(1n);

const positive = (n) => (n < 0n ? -n : n);

function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return positive(a);
}

function ratio(n, d = 1n) {
  if (d < 0n) [n, d] = [-n, -d];
  if (d === 1n) return new Fraction(n);
  const common = gcd(n, d);
  return new Fraction(n / common, d / common);
}

const whole = (n) => new Fraction(BigInt(n));
const isFloat = (x) => typeof x === "number";
const isNumber = (x) => x instanceof Fraction || isFloat(x);
const isWhole = (x) => x instanceof Fraction && x.d === 1n;

// The number that is nearest to a fraction, whatever the lengths of its two integers.
function toFloat(x) {
  if (isFloat(x)) return x;
  const spare = Math.max(bits(x.n), bits(x.d)) - 1000;
  if (spare <= 0) return Number(x.n) / Number(x.d);
  const wanted = 80 - (bits(x.n) - bits(x.d)); // so that the quotient has some 80 bits
  const quotient = wanted > 0 ? (x.n << BigInt(wanted)) / x.d : x.n / (x.d << BigInt(-wanted));
  return Number(quotient) * 2 ** -wanted;
}

const bits = (n) => (n ? positive(n).toString(2).length : 0);

function add(a, b) {
  if (isFloat(a) || isFloat(b)) return toFloat(a) + toFloat(b);
  if (a.d === b.d) return ratio(a.n + b.n, a.d);
  return ratio(a.n * b.d + b.n * a.d, a.d * b.d);
}

function negative(a) {
  return isFloat(a) ? -a : new Fraction(-a.n, a.d);
}

const subtract = (a, b) => add(a, negative(b));

function multiply(a, b) {
  if (isFloat(a) || isFloat(b)) return toFloat(a) * toFloat(b);
  return ratio(a.n * b.n, a.d * b.d);
}

function divide(a, b) {
  if (isFloat(a) || isFloat(b)) return toFloat(a) / toFloat(b);
  return ratio(a.n * b.d, a.d * b.n);
}

// Below 0, 0 or above 0, as a is below, equal to or above b.
function compare(a, b) {
  if (isFloat(a) || isFloat(b)) return toFloat(a) - toFloat(b);
  const left = a.n * b.d;
  const right = b.n * a.d;
  return left < right ? -1 : left > right ? 1 : 0;
}

const isZero = (a) => (isFloat(a) ? a === 0 : a.n === 0n);
const absolute = (a) => (compare(a, ZERO) < 0 ? negative(a) : a);

function floor(a) {
  if (isFloat(a)) return new Fraction(BigInt(Math.floor(a)));
  const quotient = a.n / a.d;
  return new Fraction(a.n < 0n && quotient * a.d !== a.n ? quotient - 1n : quotient);
}

// The exact text that Python wrote: `5`, `-37/3`; a float has a point, an exponent or a name.
function readExact(text) {
  if (/^-?\d+$/.test(text)) return new Fraction(BigInt(text));
  const parts = /^(-?\d+)\/(\d+)$/.exec(text);
  return parts ? new Fraction(BigInt(parts[1]), BigInt(parts[2])) : Number(text);
}

// A number as people type it: `3`, `-2.5`, `1/3`, `25%`, `1e-3`, `1_000`; undefined for others.
function readTyped(text) {
  const parts = /^\s*([+-]?)([\d_]*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?(?:\s*\/\s*(\d+))?(%?)\s*$/.exec(text);
  if (!parts || text.length > 1000) return undefined;
  const [, sign, before, after = "", exponent = "0", divisor = "1", percent] = parts;
  const digits = before.replaceAll("_", "") + after;
  if (!digits || BigInt(divisor) === 0n) return undefined;
  const power = Number(exponent) - after.length - (percent ? 2 : 0);
  const value = ratio(BigInt(digits) * 10n ** BigInt(Math.max(power, 0)),
    BigInt(divisor) * 10n ** BigInt(Math.max(-power, 0)));
  return sign === "-" ? negative(value) : value;
}

// --- texts -------------------------------------------------------------------------------

function exactText(x) {
  if (isFloat(x)) return floatText(x);
  return x.d === 1n ? String(x.n) : `${x.n}/${x.d}`;
}

// A value for a line of its own: `5`, `37/3 (12.33333333…)`, `15.8… (exact: …)`.
function valueText(x) {
  const short = tableText(x);
  if (isFloat(x)) return short;
  if (short.includes("/")) return `${short} (${decimalText(x)})`;
  return short.includes("…") ? `${short} (${exactRemark(x)})` : short;
}

function exactRemark(x) {
  const exact = exactText(x);
  if (exact.length <= LONG_FRACTION) return `exact: ${exact}`;
  const digits = exact.replace(/\D/g, "").length;
  const kind = exact.includes("/") ? "a fraction" : "an integer";
  return `exact: ${kind} of ${digits.toLocaleString("en")} digits`;
}

// A value in a table: `5`, `9.5`, `37/3`, or `15.85851323…`.
function tableText(x) {
  if (isFloat(x)) return roundedText(x, DIGITS);
  const decimal = decimalText(x);
  return decimal.includes("…") ? fractionText(x, SHORT_FRACTION) ?? decimal : decimal;
}

// A value in a message: exact as long as that takes some 24 characters.
function stepText(x) {
  if (isFloat(x)) return tableText(x);
  const decimal = decimalText(x, STEP);
  return decimal.includes("…") ? fractionText(x, STEP) ?? decimalText(x) : decimal;
}

// A probability: `1/3`, `0.143`, `≈ 0.1234`.
function oddsText(x) {
  if (isFloat(x)) return roundedText(x, PICTURE_DIGITS);
  const halves = (x.d & (x.d - 1n)) === 0n;
  if (!halves && 10000n % x.d === 0n) return decimalText(x);
  return fractionText(x, SHORT_FRACTION) ?? pictureText(x);
}

// A value in a picture: `9.5`, `37/3`, or `≈ 15.8585`.
function pictureText(x) {
  if (isFloat(x)) return roundedText(x, PICTURE_DIGITS);
  const full = quotient(x, x.d === 1n ? DIGITS : PICTURE_DIGITS + 1, true);
  if (full.exact) return plainOrScientific(full, true);
  const rounded = quotient(x, enough(x, PICTURE_DIGITS, 0), true);
  return fractionText(x, PICTURE_FRACTION) ?? `≈ ${plainOrScientific(rounded, true)}`;
}

// `digits` digits, cut, with `…` where more follow: `12.33333333…`.
function decimalText(x, digits = DIGITS) {
  const decimal = quotient(x, enough(x, digits, 4), false);
  if (decimal.exact) return plainOrScientific(decimal, true);
  const [mantissa, power] = plainOrScientific(decimal, false).split("e");
  return power === undefined ? `${mantissa}…` : `${mantissa}…e${power}`;
}

function enough(x, digits, behind) {
  const before = positive(x.n) / x.d;
  return before < 10n ** BigInt(WHOLE_DIGITS) ? Math.max(digits, String(before).length + behind) : digits;
}

function fractionText(x, longest) {
  if (bits(x.d) + bits(x.n) > 4 * longest) return undefined;
  const text = exactText(x);
  return text.length <= longest ? text : undefined;
}

// A fraction to some significant digits: {minus, digits, exponent, exact}, as d.ddd × 10^exponent.
function quotient(x, digits, round) {
  const minus = x.n < 0n;
  const top = positive(x.n);
  if (!top) return { minus, digits: "0", exponent: 0, exact: true };
  let exponent = String(top).length - String(x.d).length;
  const shifted = (power) => (power >= 0 ? [top * 10n ** BigInt(power), x.d] : [top, x.d * 10n ** BigInt(-power)]);
  let [n, d] = shifted(-exponent);
  if (n < d) exponent -= 1;
  [n, d] = shifted(digits - 1 - exponent);
  let found = n / d;
  const rest = n % d;
  if (round && (2n * rest > d || (2n * rest === d && found % 2n))) found += 1n;
  let text = String(found);
  if (text.length > digits) [text, exponent] = [text.slice(0, -1), exponent + 1];
  return { minus, digits: text, exponent, exact: !rest };
}

function plainOrScientific({ minus, digits, exponent }, trim) {
  const sign = minus ? "-" : "";
  const trimmed = (text) => (trim ? text.replace(/0+$/, "") : text);
  if (exponent > -7 && exponent < WHOLE_DIGITS) {
    const padded = exponent < 0 ? "0".repeat(-exponent) + digits : digits.padEnd(exponent + 1, "0");
    const point = Math.max(exponent, 0) + 1;
    const behind = trimmed(padded.slice(point));
    return sign + padded.slice(0, point) + (behind && `.${behind}`);
  }
  const behind = trimmed(digits.slice(1));
  return `${sign}${digits[0]}${behind && `.${behind}`}e${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
}

// A float to some significant digits, as C's `%g`.
function roundedText(x, digits) {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x < 0 ? "-inf" : "inf";
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
  const trimmed = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  const power = Number(exponent);
  if (power < -4 || power >= digits) return `${trimmed(mantissa)}e${scientific(power)}`;
  return trimmed(x.toFixed(Math.max(digits - 1 - power, 0)));
}

const scientific = (power) => (power < 0 ? "-" : "+") + String(Math.abs(power)).padStart(2, "0");

// A float's shortest exact text, as Python writes it.
function floatText(x) {
  if (!Number.isFinite(x)) return roundedText(x, DIGITS);
  const [mantissa, exponent] = x.toExponential().split("e");
  const power = Number(exponent);
  if (power < -4 || power >= 16) return `${mantissa}e${scientific(power)}`;
  const behind = mantissa.replace(/^-?\d\.?/, "").length;
  return Number.isInteger(x) ? `${x}.0` : x.toFixed(Math.max(behind - power, 0));
}
