import { AppError } from "@postern/core";

const depthLimit = 32;

/**
 * Reads a text as JSON (RFC 8259) without building anything, in linear time. It refuses some texts
 * that `JSON.parse` accepts: two members of one name, numbers that parsing would change, nesting
 * deeper than `depthLimit`, and more than `mostValues` members and elements together. It says where
 * the fault is without repeating the text.
 * @throws AppError `invalid_json`, with a pointer to the value in which the fault lies.
 */
export const checkJson = (text: string, mostValues: number): void => {
  const scanner = new Scanner(text, mostValues);
  scanner.start();
  scanner.value(0);
  scanner.end();
};

/** Everything but control characters, the quote and the backslash. */
const plain = /[ !#-[\]-\uffff]*/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literal = /true|false|null/y;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

class Scanner {
  private at = 0;
  private values = 0;
  /**
   * Where the text has come to: for each array that is open the index, for each object the name of the
   * member, or `undefined` in front of a name. A member whose name ends here counts as reached.
   */
  private readonly path: (string | number | undefined)[] = [];
  private readonly text: string;
  private readonly mostValues: number;

  constructor(text: string, mostValues: number) {
    this.text = text;
    this.mostValues = mostValues;
  }

  /**
   * A text that is sent over a network must not begin with a byte order mark (RFC 8259, section
   * 8.1): a signature or digest would cover it, and the parsed text would not contain it.
   */
  start(): void {
    if (this.text.startsWith("\uFEFF")) {
      this.refuse("a byte order mark must not stand in front of the text (RFC 8259, section 8.1)", "byte_order_mark");
    }
  }

  value(depth: number): void {
    this.skipSpace();
    const start = this.text.charCodeAt(this.at);
    if (start === openingBrace || start === openingBracket) {
      this.open(depth + 1);
      if (start === openingBrace) this.object(depth + 1);
      else this.array(depth + 1);
      this.path.pop();
    } else if (start === quote) this.string();
    else if (!this.number() && !this.skip(literal)) this.refuse("a value is expected");
  }

  /** Refuses numbers that `JSON.parse` would change, so that you read values back as you sent them. */
  private number(): boolean {
    const start = this.at;
    if (!this.skip(number)) return false;
    const written = this.text.slice(start, this.at);
    if (written.length < 16 && !/e/i.test(written)) return true;
    if (comesBack(written)) return true;
    this.at = start;
    return this.refuse("a number is out of range or has too many digits; send it as a string", "out_of_range");
  }

  end(): void {
    this.skipSpace();
    if (this.at < this.text.length) this.refuse("nothing may follow the value");
  }

  private object(depth: number): void {
    if (this.take(closingBrace)) return;
    const names = new Set<string>();
    do {
      this.path[depth - 1] = undefined;
      this.skipSpace();
      const start = this.at;
      if (this.text.charCodeAt(start) !== quote) this.refuse("a member name in double quotes is expected");
      this.string();
      this.name(names, start);
      if (!this.take(colon)) this.refuse("a colon is expected");
      this.value(depth);
    } while (this.take(comma));
    if (!this.take(closingBrace)) this.refuse("a comma or a closing brace is expected");
  }

  private array(depth: number): void {
    if (this.take(closingBracket)) return;
    let index = 0;
    do {
      this.path[depth - 1] = index;
      index += 1;
      this.count();
      this.value(depth);
    } while (this.take(comma));
    if (!this.take(closingBracket)) this.refuse("a comma or a closing bracket is expected");
  }

  private open(depth: number): void {
    if (depth > depthLimit) this.refuse(`the nesting is deeper than ${depthLimit} levels`, "too_deep");
    this.at++;
    this.path.push(undefined);
  }

  private string(): void {
    this.at++;
    do this.skip(plain);
    while (this.skip(escaped));
    const stop = this.text[this.at];
    if (stop === undefined) this.refuse("a string is not closed");
    if (stop === "\\") this.refuse("an escape sequence is not valid");
    if (stop !== '"') this.refuse("a control character in a string must be escaped");
    this.at++;
  }

  /** Two spellings of one name (`"a"`, `"\u0061"`) are one name. */
  private name(names: Set<string>, start: number): void {
    const written = this.text.slice(start, this.at);
    const name: unknown = written.includes("\\") ? JSON.parse(written) : written.slice(1, -1);
    const text = String(name);
    this.path[this.path.length - 1] = text;
    if (names.has(text)) this.refuse("a member name is repeated", "repeated", start);
    if (text === "__proto__") this.refuse("a member must not be named __proto__", "not_allowed", start);
    this.count(start);
    names.add(text);
  }

  private count(from = this.at): void {
    this.values++;
    if (this.values > this.mostValues) {
      this.refuse(`there are more than ${this.mostValues} members and elements`, "too_many", from);
    }
  }

  private take(character: number): boolean {
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== character) return false;
    this.at++;
    return true;
  }

  /**
   * Without a pattern: it is called four times for each value, mostly where there is no space. A
   * text of nested arrays is checked three times as fast for it.
   */
  private skipSpace(): void {
    let code = this.text.charCodeAt(this.at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      this.at++;
      code = this.text.charCodeAt(this.at);
    }
  }

  /** Moves behind the pattern's match at this place; false if the pattern does not match. */
  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.text) || pattern.lastIndex === this.at) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  /** `from` is the place where the fault begins; by default the place that is reached. */
  private refuse(problem: string, code = "syntax", from = this.at): never {
    const before = this.text.slice(0, from).split("\n");
    const column = (before.at(-1)?.length ?? 0) + 1;
    throw new AppError("invalid_json", {
      detail: `The body is not valid JSON at line ${before.length}, column ${column}: ${problem}.`,
      faults: [{ pointer: pointerTo(this.path), code, detail: problem }],
    });
  }
}

/** The JSON pointer (RFC 6901) of a value. */
const pointerTo = (path: readonly (string | number | undefined)[]): string =>
  path
    .flatMap((step) => (step === undefined ? [] : `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`))
    .join("");

/**
 * A number as its digits without zeros at either end, and the power of ten that they are multiplied
 * by. Two spellings of one number have the same text.
 */
const exactText = (written: string): string => {
  const [mantissa = "", exponent = "0"] = written
    .replace("-", (sign, at: number) => (at === 0 ? "" : sign))
    .split(/e/i);
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = whole + fraction;
  let from = 0;
  let to = digits.length;
  while (from < to && digits[from] === "0") from += 1;
  while (to > from && digits[to - 1] === "0") to -= 1;
  return from === to ? "0" : `${digits.slice(from, to)}e${Number(exponent) - fraction.length + digits.length - to}`;
};

/**
 * Whether a JSON number is the same number after it was parsed. Some programs write a double with 17
 * digits, more than it takes to tell it from others; that is the same double.
 */
const comesBack = (written: string): boolean => {
  const value = Number(written);
  if (!Number.isFinite(value)) return false;
  if (!/[.e]/i.test(written)) return Number.isSafeInteger(value) || String(value) === written;
  const exact = exactText(written);
  return exact === exactText(String(value)) || exact === exactText(value.toPrecision(17));
};
