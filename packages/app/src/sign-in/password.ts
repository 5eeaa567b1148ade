import { AppError, type Fault } from "@postern/core";
import { characterCount } from "@postern/core/internal";
import type { CommonPasswords } from "@postern/core/ports";
import { z } from "zod";
import { estimateGuesses, type Weakness } from "./guesses.ts";

/**
 * 8 to 128 characters of any kind, without rules of composition (NIST SP 800-63B, section 3.1.1).
 * The whole password counts.
 */
export const passwordText = z
  .string()
  // A password that is too long is not checked further: it may be as large as a body.
  .refine((value) => characterCount(value) <= 128, { error: "at most 128 characters", abort: true })
  .refine((value) => characterCount(value) >= 8, { error: "at least 8 characters" })
  .refine((value) => !/[\0\p{Cs}]/u.test(value), { error: "no NUL characters and no lone surrogates" })
  .meta({
    minLength: 8,
    maxLength: 128,
    writeOnly: true,
    description: "8 to 128 characters of any kind that are not easy to guess.",
  });

/**
 * A password at sign-in. Its length is bounded but otherwise free, so that a wrong password is
 * answered as wrong.
 */
export const presentedPassword = z
  .string()
  .max(512)
  .meta({ writeOnly: true, examples: ["correct horse battery"] });

/**
 * Eight characters without any pattern take this many tries. It is zxcvbn's border between fair and
 * good.
 */
const leastMagnitude = 8;

const told: Readonly<Record<Weakness, string>> = {
  "own words": "it is made of your own name or address",
  "a common word": "it is made of words that are guessed first; capital letters, years and signs add little",
  repeats: "it repeats the same characters",
  "a sequence": "it follows the alphabet, the digits or the keyboard",
  "a year or a date": "it is made of years or dates",
};

const codes: Readonly<Record<Weakness, string>> = {
  "own words": "own_words",
  "a common word": "common_words",
  repeats: "repeats",
  "a sequence": "sequence",
  "a year or a date": "dates",
};

/**
 * Stored instead of a hash while the owner of an account has not chosen a password. No password
 * fits it.
 */
export const noPassword = "none";

/** The hash of an account's password; `undefined` while it has none. */
export const hashIn = (stored: unknown): string | undefined => (stored === noPassword ? undefined : String(stored));

/** The codes of the faults of passwords that are easy to guess. */
export const guessableCodes: readonly string[] = ["too_common", ...Object.values(codes)];

const refusal = (member: string, code: string, why: string): AppError => {
  const detail = `${why}; choose another one, such as several words that have nothing to do with each other`;
  const faults: readonly Fault[] = [{ pointer: `/${member}`, code, detail }];
  return new AppError("validation_failed", { detail: `${member}: ${detail}.`, faults });
};

/** The words of the account's names and addresses, whole and in parts, in lower case. */
const ownWordsOf = (texts: readonly unknown[]): ReadonlySet<string> =>
  new Set(
    texts
      .filter((text) => typeof text === "string")
      .flatMap((text) => {
        const whole = text.toLowerCase();
        return [whole, whole.replaceAll(/\s+/g, ""), ...whole.split("@"), ...whole.split(/[^\p{L}\p{N}]+/u)];
      })
      .filter((word) => [...word].length >= 3),
  );

/** The facts that a new password is checked against. */
export interface PasswordCheck {
  readonly common: CommonPasswords;
  /** Its place in the body. */
  readonly member: string;
  /** Texts that belong to the account: name, address. */
  readonly own: readonly unknown[];
}

/**
 * Refuses a password that guessers find early: a common one (NIST SP 800-63B, section 3.1.1.2), or
 * one that consists of the account's own words, common words, repeats, sequences and dates.
 * @throws AppError `validation_failed` that says why.
 */
export const refuseGuessable = (password: string, { common, member, own }: PasswordCheck): void => {
  if (common.includes(password))
    throw refusal(member, "too_common", "this is one of the passwords that are guessed first");
  const words = ownWordsOf(own);
  // The longest texts of an account are longer than words that are looked up.
  if (words.has(password.toLowerCase())) throw refusal(member, codes["own words"], told["own words"]);
  const { magnitude, weakness } = estimateGuesses(password, words, common);
  if (magnitude >= leastMagnitude || weakness === undefined) return;
  throw refusal(member, codes[weakness], told[weakness]);
};
