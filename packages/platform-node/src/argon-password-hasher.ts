import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { type Algorithm, hash, type ParsedHashOptions, parseOptions, verify } from "@node-rs/argon2";
import { AppError } from "@postern/core";
import { createLine } from "@postern/core/internal";
import type { PasswordHasher } from "@postern/core/ports";
import { systemClock } from "./system-clock.ts";

export interface ArgonOptions {
  /**
   * How many hashes run at once. Each takes one of the four threads that file access needs, too.
   * Default: 2, and 1 where the process has only one or two processors.
   */
  readonly concurrency?: number;
  /** Memory in KiB. Default: 19,456. */
  readonly memoryCost?: number;
  /** Passes; Default: 2. */
  readonly timeCost?: number;
  /** Lanes. Default: 1. */
  readonly parallelism?: number;
}

/**
 * How many hashes run at once where there are so many processors. A hash keeps one busy for tens of
 * milliseconds. If all were, every answer and every statement of a database on the same machine
 * would have to wait for one.
 */
export const hashesAtOnce = (processors: number): number => (processors > 2 ? 2 : 1);

/**
 * Where there are one or two processors, a hash takes up to half of the machine, which a database on
 * it needs, too. So after a hash, those who wait do so for as long as the event loop was busy
 * meanwhile: hardly at all while the server has little to do, and for as long as the hash took while
 * it has no time.
 */
export const restFor = (processors: number): (() => () => number) | undefined => {
  if (processors > 2) return undefined;
  return () => {
    const before = performance.eventLoopUtilization();
    return () => performance.eventLoopUtilization(before).active;
  };
};

/**
 * How many wait: those of a few seconds. A network has as many as its rates of sign-ins and sign-ups
 * allow in a minute.
 */
const waiting = { waiting: 400, waitingOfKey: 40 };

/** Runs a few hashes at once. Further ones wait in line, and rests are part of their wait. */
export const hashesInLine = (concurrency: number, restAfter: ReturnType<typeof restFor>) => {
  const refusal = (): AppError => new AppError("overloaded", { headers: { "retry-after": "2" } });
  const line = createLine({ ...waiting, most: concurrency, refusal }, systemClock());
  return async <Result>(work: () => Promise<Result>, network = ""): Promise<Result> => {
    const share = await line.take(network);
    const restMs = restAfter?.();
    try {
      return await work();
    } finally {
      if (restMs === undefined || line.waiting === 0) share.release();
      else setTimeout(share.release, restMs());
    }
  };
};

/** `Algorithm.Argon2id`; the package exports the enum as types only. */
const argon2id: Algorithm = 2;

/**
 * Whether a stored hash is cheap enough to check. A row that somebody altered must not overload the
 * machine.
 */
const bearable = ({ memoryCost, timeCost, parallelism }: ParsedHashOptions): boolean =>
  memoryCost <= 256 * 1024 && timeCost <= 16 && parallelism <= 16;

/**
 * The parameters of a stored hash; `undefined` if the text is not a hash, or one that is too
 * expensive to check.
 */
const parametersOf = (stored: string): ParsedHashOptions | undefined => {
  try {
    const parameters = parseOptions(stored);
    return bearable(parameters) ? parameters : undefined;
  } catch {
    // The library throws if the text is not a hash of its kind. For us the answer is then false.
    return undefined;
  }
};

const base64 = (bytes: number): string => randomBytes(bytes).toString("base64").replaceAll("=", "");

/**
 * Argon2id (RFC 9106) with 19 MiB and two passes (OWASP Password Storage Cheat Sheet), as a PHC
 * string. Passwords are brought to NFC first (RFC 8265, section 4.2), so that one typed on another
 * keyboard is the same. A hash that cannot be read is checked like an unknown account's: the work
 * is done and the answer is false.
 */
export const argonPasswordHasher = ({
  concurrency = hashesAtOnce(availableParallelism()),
  memoryCost = 19_456,
  timeCost = 2,
  parallelism = 1,
}: ArgonOptions = {}): PasswordHasher => {
  const run = hashesInLine(concurrency, restFor(availableParallelism()));
  const options = { algorithm: argon2id, memoryCost, timeCost, parallelism };
  // A hash that no password matches: its result is replaced by random bytes.
  const nobodys = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${base64(16)}$${base64(32)}`;

  return {
    hash: (password, { network } = {}) => run(() => hash(password.normalize("NFC"), options), network),
    verify: (password, stored, { network } = {}) => {
      const readable = stored !== undefined && parametersOf(stored) !== undefined;
      return run(() => verify(readable ? stored : nobodys, password.normalize("NFC")), network);
    },
    isOutdated: (stored) => {
      const made = parametersOf(stored);
      return (
        made === undefined ||
        made.algorithm !== argon2id ||
        made.memoryCost !== memoryCost ||
        made.timeCost !== timeCost ||
        made.parallelism !== parallelism
      );
    },
  };
};
