import type { CommonPasswords } from "@postern/core/ports";

/** Why a part of a password is easy to guess. */
export type Weakness = "own words" | "a common word" | "repeats" | "a sequence" | "a year or a date";

/** The cheapest way to guess a password. */
export interface GuessEstimate {
  /** Tries, as a power of ten. */
  readonly magnitude: number;
  /**
   * The weakness to report: own words if there are any, otherwise the one that explains most
   * characters; `undefined` if there is none.
   */
  readonly weakness: Weakness | undefined;
}

/** A way to guess the characters from `start` up to `end`. */
interface Piece {
  readonly start: number;
  readonly end: number;
  /** Tries, as a power of ten. */
  readonly magnitude: number;
  readonly weakness: Weakness | undefined;
}

/** The longest word that is looked up, and the shortest. */
const wordLength = { least: 3, most: 24 } as const;
/** How many tries one character without any pattern takes: ten, as in zxcvbn. */
const magnitudeOfCharacter = 1;
/** Guessers try some thousand words first. */
const magnitudeOfWord = Math.log10(3_000);
const magnitudeOfOwnWord = 1;
const years = { from: 1900, to: 2059 } as const;

/**
 * Keys that are next to each other, and the alphabet and the digits, for sequences in either
 * direction.
 */
const rows = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890",
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "qwertzuiop",
  "yxcvbnm",
  "azertyuiop",
  "qsdfghjklm",
  "!@#$%^&*()",
];
const sequences = [...rows, ...rows.map((row) => [...row].toReversed().join(""))];

const substitutes: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "3": "e",
  "1": "i",
  "!": "i",
  "0": "o",
  "5": "s",
  $: "s",
  "7": "t",
};

const plain = (text: string): string => text.replaceAll(/[@431!05$7]/g, (sign) => substitutes[sign] ?? sign);

const log2of10 = Math.log2(10);
/**
 * How many tries capital letters add: none if there are none, one if only the first letter or all
 * letters are capitals, otherwise half of all combinations.
 */
const magnitudeOfCapitals = (text: string): number => {
  const capitals = text.replaceAll(/[^\p{Lu}]/gu, "").length;
  if (capitals === 0) return 0;
  if (/^\p{Lu}[^\p{Lu}]*$/u.test(text) || text === text.toUpperCase()) return Math.log10(2);
  return Math.max(1, Math.min(capitals, text.length - capitals)) / log2of10 + Math.log10(2);
};

const wordPiece = (
  { own, common }: { readonly own: ReadonlySet<string>; readonly common: CommonPasswords },
  text: string,
): Omit<Piece, "start" | "end"> | undefined => {
  const lower = text.toLowerCase();
  const straight = plain(lower);
  const spelled = straight === lower ? 0 : Math.log10(2);
  const extra = magnitudeOfCapitals(text) + spelled;
  if (own.has(lower) || own.has(straight)) return { magnitude: magnitudeOfOwnWord + extra, weakness: "own words" };
  if (common.includes(lower) || common.includes(straight)) {
    return { magnitude: magnitudeOfWord + extra, weakness: "a common word" };
  }
  return undefined;
};

const wordPieces = (characters: readonly string[], known: Parameters<typeof wordPiece>[0]): readonly Piece[] => {
  const pieces: Piece[] = [];
  for (let start = 0; start < characters.length; start += 1) {
    const last = Math.min(characters.length, start + wordLength.most);
    for (let end = start + wordLength.least; end <= last; end += 1) {
      const found = wordPiece(known, characters.slice(start, end).join(""));
      if (found !== undefined) pieces.push({ start, end, ...found });
    }
  }
  return pieces;
};

/** The same few characters again and again, from every place as far as they go. */
const repeatPieces = (characters: readonly string[]): readonly Piece[] => {
  const pieces: Piece[] = [];
  for (let start = 0; start < characters.length; start += 1) {
    for (let unit = 1; unit <= 8 && start + 2 * unit <= characters.length; unit += 1) {
      let end = start + unit;
      while (end < characters.length && characters[end] === characters[end - unit]) end += 1;
      const times = (end - start) / unit;
      if (times < 2 || end - start < 3) continue;
      pieces.push({ start, end, magnitude: unit * magnitudeOfCharacter + Math.log10(times), weakness: "repeats" });
    }
  }
  return pieces;
};

const sequencePieces = (characters: readonly string[]): readonly Piece[] => {
  const text = characters.map((character) => character.toLowerCase());
  const pieces: Piece[] = [];
  for (const row of sequences) {
    for (let start = 0; start < text.length; start += 1) {
      const at = row.indexOf(text[start] ?? "");
      if (at === -1) continue;
      let length = 1;
      while (start + length < text.length && at + length < row.length && row[at + length] === text[start + length]) {
        length += 1;
      }
      if (length < 3) continue;
      const magnitude = Math.log10(20 * length);
      pieces.push({ start, end: start + length, magnitude, weakness: "a sequence" });
    }
  }
  return pieces;
};

const datePieces = (password: string): readonly Piece[] => {
  const found: Piece[] = [];
  const add = (pattern: RegExp, magnitude: number, holds: (text: string) => boolean = () => true) => {
    for (const { 0: text, index } of password.matchAll(pattern)) {
      if (!holds(text)) continue;
      const start = [...password.slice(0, index)].length;
      found.push({ start, end: start + text.length, magnitude, weakness: "a year or a date" });
    }
  };
  add(/\d{4}/g, Math.log10(years.to - years.from), (year) => Number(year) >= years.from && Number(year) <= years.to);
  add(/\d{1,2}[.\-/ ]\d{1,2}[.\-/ ](?:\d{4}|\d{2})|(?:19|20)\d{2}[.\-/ ]?\d{2}[.\-/ ]?\d{2}/g, 4.5);
  return found;
};

/** The fewest tries for the text up to some character, and the pieces that need them. */
interface Way {
  readonly magnitude: number;
  readonly pieces: readonly Piece[];
}

/**
 * Estimates the tries that it takes to guess a password for somebody who first tries words, names,
 * dates and patterns. It follows zxcvbn (Wheeler, USENIX Security 2016): it finds the cheapest way
 * to build the password from patterns and single characters. If there are several pieces, their
 * order must be guessed, too. `own` are words of the account in lower case. Passwords have up to
 * 128 characters; the time grows with the square of that.
 */
export const estimateGuesses = (password: string, own: ReadonlySet<string>, common: CommonPasswords): GuessEstimate => {
  const characters = [...password];
  const byEnd = new Map<number, Piece[]>();
  const all = [
    ...wordPieces(characters, { own, common }),
    ...repeatPieces(characters),
    ...sequencePieces(characters),
    ...datePieces(password),
  ];
  for (const piece of all) byEnd.set(piece.end, [...(byEnd.get(piece.end) ?? []), piece]);
  const ways: Way[] = [{ magnitude: 0, pieces: [] }];
  for (let end = 1; end <= characters.length; end += 1) {
    const unknown: Piece[] = [];
    for (let start = 0; start < end; start += 1) {
      unknown.push({ start, end, magnitude: (end - start) * magnitudeOfCharacter, weakness: undefined });
    }
    let best: Way | undefined;
    for (const piece of [...(byEnd.get(end) ?? []), ...unknown]) {
      const before = ways[piece.start];
      if (before === undefined) continue;
      const magnitude = before.magnitude + piece.magnitude + Math.log10(before.pieces.length + 1);
      if (best === undefined || magnitude < best.magnitude) best = { magnitude, pieces: [...before.pieces, piece] };
    }
    ways.push(best ?? { magnitude: Number.POSITIVE_INFINITY, pieces: [] });
  }
  const { magnitude = 0, pieces = [] } = ways.at(-1) ?? {};
  return { magnitude, weakness: mostOf(pieces) };
};

/** Report own words before all others, because the user understands that reason best. */
const mostOf = (pieces: readonly Piece[]): Weakness | undefined => {
  if (pieces.some(({ weakness }) => weakness === "own words")) return "own words";
  const lengths = new Map<Weakness, number>();
  for (const { weakness, start, end } of pieces) {
    if (weakness !== undefined) lengths.set(weakness, (lengths.get(weakness) ?? 0) + end - start);
  }
  const [first] = [...lengths].toSorted(([, left], [, right]) => right - left);
  return first?.[0];
};
