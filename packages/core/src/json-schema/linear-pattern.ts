/**
 * A regular expression whose matching time grows only with the length of the text times the size of
 * the pattern. JavaScript's own engine tries one possibility after the other. For some patterns
 * (`^(a+)+$`) a text of thirty characters takes hours, during which the process answers nothing.
 */
export interface LinearPattern {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /**
   * The number of states of the pattern. Matching takes at most about this many steps for each
   * character.
   */
  readonly states: number;
}

/** A character of a text, or `undefined` before its beginning and after its end. */
type Character = string | undefined;

type Node =
  | { readonly kind: "one"; readonly takes: (character: string) => boolean }
  | { readonly kind: "edge"; readonly holds: (before: Character, after: Character) => boolean }
  | { readonly kind: "sequence"; readonly parts: readonly Node[] }
  | { readonly kind: "choice"; readonly options: readonly Node[] }
  | { readonly kind: "repeat"; readonly part: Node; readonly least: number; readonly most: number };

/**
 * A state takes a character, checks an edge, or does neither. Then it goes on with each of `next`.
 * A state without `next` means that the pattern has matched.
 */
interface State {
  readonly takes?: (character: string) => boolean;
  readonly holds?: (before: Character, after: Character) => boolean;
  readonly next: number[];
}

const mostStates = 2_000;

const isWordCharacter = (character: Character): boolean => character !== undefined && /^\w$/.test(character);
const isWordEdge = (before: Character, after: Character): boolean => isWordCharacter(before) !== isWordCharacter(after);

const edges: Readonly<Record<string, (before: Character, after: Character) => boolean>> = {
  "^": (before) => before === undefined,
  $: (_before, after) => after === undefined,
  "\\b": isWordEdge,
  "\\B": (before, after) => !isWordEdge(before, after),
};

/**
 * Something that matches one character or an edge: an escape, a class, the dot, or the character
 * itself.
 */
const atom =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/uy;
const quantifier = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;
const groupStart = /\((?:\?(?::|<[^=!][^>]*>))?/y;

/** Reads a pattern that `RegExp` has found to be well-formed. */
class Reader {
  private at = 0;
  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  choice(): Node {
    const options = [this.sequence()];
    while (this.source[this.at] === "|") {
      this.at += 1;
      options.push(this.sequence());
    }
    return { kind: "choice", options };
  }

  private sequence(): Node {
    const parts: Node[] = [];
    while (this.at < this.source.length && !"|)".includes(this.source.charAt(this.at))) {
      parts.push(this.repeated(this.source[this.at] === "(" ? this.group() : this.single()));
    }
    return { kind: "sequence", parts };
  }

  private group(): Node {
    const start = this.take(groupStart)?.[0];
    if (start === undefined || (start === "(" && this.source[this.at] === "?")) {
      throw new TypeError("it looks ahead or behind, or sets flags; these take more than linear time");
    }
    const inside = this.choice();
    this.at += 1;
    return inside;
  }

  private single(): Node {
    const text = this.take(atom)?.[0] ?? "";
    const holds = Object.hasOwn(edges, text) ? edges[text] : undefined;
    if (holds !== undefined) return { kind: "edge", holds };
    if (/^\\[1-9k]/.test(text)) throw new TypeError("it refers back to a group, which takes more than linear time");
    if (text.length === 1 && text !== ".") return { kind: "one", takes: (character) => character === text };
    const whole = new RegExp(`^${text}$`, "u");
    return { kind: "one", takes: (character) => whole.test(character) };
  }

  private repeated(part: Node): Node {
    const found = this.take(quantifier);
    if (found === undefined) return part;
    const [, sign, count, comma, upper] = found;
    if (sign !== undefined) {
      return { kind: "repeat", part, least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : Number.POSITIVE_INFINITY };
    }
    const most = comma === undefined ? count : upper === "" ? Number.POSITIVE_INFINITY : upper;
    return { kind: "repeat", part, least: Number(count), most: Number(most) };
  }

  private take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source) ?? undefined;
    if (found !== undefined) this.at = pattern.lastIndex;
    return found;
  }
}

/** Whether a node needs no states of its own. */
const isEmpty = (node: Node): boolean => {
  if (node.kind === "sequence") return node.parts.every(isEmpty);
  if (node.kind === "repeat") return node.most === 0 || isEmpty(node.part);
  return node.kind === "choice" && node.options.length === 1 && node.options.every(isEmpty);
};

/** Adds the states of a node that continue at `next`, and returns where they begin. */
const compile = (states: State[], node: Node, next: number): number => {
  const add = (state: State): number => {
    if (states.length >= mostStates) throw new TypeError("it is too large: counts multiply what they repeat");
    return states.push(state) - 1;
  };
  switch (node.kind) {
    case "one":
      return add({ takes: node.takes, next: [next] });
    case "edge":
      return add({ holds: node.holds, next: [next] });
    case "sequence":
      return node.parts.reduceRight((behind, part) => compile(states, part, behind), next);
    case "choice":
      return node.options.length === 1
        ? compile(states, node.options[0] as Node, next)
        : add({ next: node.options.map((option) => compile(states, option, next)) });
    case "repeat": {
      // An empty pattern stays empty when it is repeated. Without states, nothing would bound the
      // count.
      if (isEmpty(node.part)) return next;
      let start = next;
      if (node.most === Number.POSITIVE_INFINITY) {
        const again: number[] = [];
        start = add({ next: again });
        again.push(compile(states, node.part, start), next);
      } else {
        for (let more = node.most - node.least; more > 0; more -= 1) {
          start = add({ next: [compile(states, node.part, start), next] });
        }
      }
      for (let times = node.least; times > 0; times -= 1) start = compile(states, node.part, start);
      return start;
    }
  }
};

/**
 * Reads a pattern as `new RegExp(source, "u")` would.
 * @throws TypeError for an invalid pattern, for look-around and back references, and for a pattern
 *   of more than 2,000 states.
 */
export const linearPattern = (source: string): LinearPattern => {
  try {
    new RegExp(source, "u");
  } catch {
    throw new TypeError("it is not a regular expression");
  }
  const states: State[] = [{ next: [] }];
  const first = compile(states, new Reader(source).choice(), 0);
  return { states: states.length, test: (text) => matches(states, first, text) };
};

/**
 * Goes through the text once, in all possible states at the same time (Thompson's construction).
 */
const matches = (states: readonly State[], first: number, text: string): boolean => {
  /** The step at which each state was last entered. */
  const entered = new Int32Array(states.length).fill(-1);
  let here: number[] = [];
  const characters = text[Symbol.iterator]();
  /** The characters on both sides of the place that is reached. */
  let before: Character;
  let after: Character = characters.next().value;

  /**
   * Enters a state and all states that follow without a character. True if the end is among them.
   */
  const enter = (start: number, step: number, into: number[]): boolean => {
    const waiting = [start];
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      const state = states[index];
      if (state === undefined || entered[index] === step) continue;
      entered[index] = step;
      if (index === 0) return true;
      if (state.takes !== undefined) into.push(index);
      else if (state.holds === undefined || state.holds(before, after)) waiting.push(...state.next);
    }
    return false;
  };

  for (let step = 0; ; step += 1) {
    // A match may begin anywhere.
    if (enter(first, step, here)) return true;
    if (after === undefined) return false;
    const character = after;
    before = character;
    after = characters.next().value;
    const there: number[] = [];
    for (const index of here) {
      const { takes, next } = states[index] as State;
      if (takes?.(character) !== true) continue;
      if (enter(next[0] ?? 0, step + 1, there)) return true;
    }
    here = there;
  }
};
