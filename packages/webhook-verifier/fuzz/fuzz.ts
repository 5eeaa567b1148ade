import { expect, test } from "vitest";
import { schemes } from "../src/all-schemes.ts";
import {
  createVerifier,
  type Delivery,
  type Scheme,
  type Verifier,
  type WebhookRequest,
  WebhookVerificationError,
} from "../src/index.ts";
import { vectors } from "../test/vectors/index.ts";
import { now, type Vector, type VectorRequest } from "../test/vectors/vector.ts";

/** How long each part runs, in seconds: set it for a longer or a shorter hunt. */
const seconds = Number(process.env.POSTERN_FUZZ_SECONDS ?? 5);

/** A seed makes a run repeatable; each run has another unless it is given. Failures name it. */
const seed = Number(process.env.POSTERN_FUZZ_SEED ?? Date.now() % 2 ** 31);

/** Mulberry32: small, fast, and the same everywhere. */
const random = (start: number): (() => number) => {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
};

type Random = () => number;

const upTo = (next: Random, end: number): number => Math.floor(next() * end);
const oneOf = <T>(next: Random, list: readonly T[]): T => list[upTo(next, list.length)] as T;

const tokens = [
  "",
  " ",
  ",",
  ";",
  "=",
  ".",
  ":",
  '"',
  "(",
  ")",
  "\0",
  "\r\n",
  "ü",
  "\ud800",
  "%27",
  "'",
  "=".repeat(50),
];
const words = [
  "v1=",
  "t=",
  "sha256=",
  "null",
  "{}",
  "[]",
  "__proto__",
  "9007199254740993",
  "-1",
  "1e9",
  "true",
  "AA==",
];

const mutateText = (next: Random, text: string): string => {
  const at = upTo(next, text.length + 1);
  const end = Math.min(text.length, at + 1 + upTo(next, 8));
  return oneOf<() => string>(next, [
    () => text.slice(0, at) + oneOf(next, tokens) + text.slice(at),
    () => text.slice(0, at) + oneOf(next, words) + text.slice(end),
    () => text.slice(0, at) + text.slice(end),
    () => text.slice(0, end) + text.slice(at),
    () => text.slice(0, at) + String.fromCharCode(upTo(next, 256)) + text.slice(at + 1),
    () => text.toUpperCase(),
    () => text + text,
    () => "",
  ])();
};

const bytesOf = (body: string | Uint8Array): Uint8Array =>
  typeof body === "string" ? new TextEncoder().encode(body) : body;

const mutateBytes = (next: Random, bytes: Uint8Array): Uint8Array => {
  const at = upTo(next, bytes.length + 1);
  if (next() < 0.5) return Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ (1 << upTo(next, 8)) : byte));
  return bytesOf(mutateText(next, new TextDecoder().decode(bytes)));
};

const mutate = (next: Random, request: VectorRequest): WebhookRequest => {
  const headers: Record<string, string | string[]> = { ...request.headers };
  const mutated = { ...request, headers, body: bytesOf(request.body) };
  const names = Object.keys(headers);
  for (let count = 1 + upTo(next, 3); count > 0; count--) {
    const name = oneOf(next, names) ?? "x-nothing";
    const value = String(headers[name] ?? "");
    oneOf<() => void>(next, [
      () => Object.assign(mutated, { body: mutateBytes(next, mutated.body) }),
      () => Object.assign(mutated, { body: mutateBytes(next, mutated.body) }),
      () => Object.assign(headers, { [name]: mutateText(next, value) }),
      () => Object.assign(headers, { [name]: mutateText(next, value) }),
      () => Object.assign(headers, { [name]: [value, mutateText(next, value)] }),
      () => Object.assign(headers, { [name.toUpperCase()]: value }),
      () => delete headers[name],
      () => Object.assign(mutated, { url: mutateText(next, request.url ?? "https://hooks.example.com/") }),
      () => Object.assign(mutated, { method: oneOf(next, ["GET", "PUT", "", "post", "POST"]) }),
    ])();
  }
  return mutated;
};

/** The header values as a web `Headers` joins them, where it can hold them. */
const asWeb = ({ headers, ...rest }: WebhookRequest): WebhookRequest => {
  const web = new Headers();
  try {
    for (const [name, value] of Object.entries(headers))
      for (const one of [value].flat()) web.append(name, String(one));
  } catch {
    return { ...rest, headers };
  }
  return { ...rest, headers: web };
};

const open = (scheme: Scheme, vector: Vector): Verifier =>
  createVerifier(scheme, {
    keys: vector.keys,
    now: () => vector.now ?? now,
    allowShort: vector.allowShort,
    ...(vector.settings !== undefined && { settings: vector.settings }),
  });

/** Senders of which something that is not signed as it stands tells deliveries apart. */
const keyedByMore: readonly string[] = ["dropbox-sign", "help-scout"];

/**
 * Senders that sign form fields one after the other: the border between a name and its value is not
 * signed, by their design.
 */
const withoutBorders: readonly string[] = ["twilio", "plivo", "mandrill"];

/**
 * What a forged message may never change: what the signature covers. The dedupe key is made of
 * that, unless the sender signs no id and an unsigned one counts.
 */
const expectSame = (delivery: Delivery, genuine: Delivery): void => {
  // Where only the sender is known, any body is as good as another.
  if (genuine.covered.includes("sender")) return;
  if (genuine.repeat.by !== "unsigned-id" && !keyedByMore.includes(delivery.scheme))
    expect(delivery.dedupeKey).toBe(genuine.dedupeKey);
  expect(delivery.timestamp).toBe(genuine.timestamp);
  // A form may be escaped in other ways and mean the same: its fields are compared.
  if (delivery.covered.includes("body") && !withoutBorders.includes(delivery.scheme))
    expect(delivery.payload).toEqual(genuine.payload);
};

const all = Object.entries<Scheme>(schemes).flatMap(([name, scheme]) => {
  const vector = vectors[name];
  return vector === undefined ? [] : [{ name, vector, verifier: open(scheme, vector) }];
});

/** Hostile texts that grow: what tempts a parser to look again and again. */
const growing: readonly ((length: number) => string)[] = [
  (length) => "[".repeat(length),
  (length) => '{"a":'.repeat(length / 5),
  (length) => "a=1&".repeat(length / 4),
  (length) => `${"&=".repeat(length / 2)}payload=`,
  (length) => `{"a":"${"\\\\".repeat(length / 2)}"}`,
  (length) => " ".repeat(length),
  (length) => `-----BEGIN A-----${"A".repeat(length)}`,
  (length) => ",".repeat(length),
];

/**
 * Processor time of this process for one message, in ms. Other work on the machine does not count,
 * waiting neither.
 */
const costOf = async (verifier: Verifier, request: WebhookRequest): Promise<number> => {
  const from = process.cpuUsage();
  await verifier.verify(request).catch(() => undefined);
  await verifier.handshake(request).catch(() => undefined);
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
};

/** How often a pair of measurements is repeated before it counts as slow. */
const mostAttempts = 24;

/**
 * Whether four times this length costs more than ten times as much: linear work costs four times,
 * quadratic work sixteen times. Garbage collection and compilation can disturb a measurement but
 * never make it smaller, so the smallest of each length are compared. A pair that is fast once is
 * enough; a slow one is repeated.
 */
const growsTooFastFrom = async (length: number, cost: (length: number) => Promise<number>): Promise<boolean> => {
  let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    short = Math.min(short, await cost(length));
    long = Math.min(long, await cost(4 * length));
    if (attempt > 1 && long <= 10 * short + 5) return false;
  }
  return true;
};

/**
 * Whether the cost grows faster than the input, wherever it is measured. One steep step is none of
 * ours: V8 asks the system for memory beyond a certain size, page by page, which may cost more than
 * the rest. Quadratic work is as steep further on.
 */
const growsTooFast = async (cost: (length: number) => Promise<number>): Promise<boolean> =>
  (await growsTooFastFrom(32_768, cost)) && (await growsTooFastFrom(131_072, cost));

/** Forges messages for every scheme, and measures how time grows with input. */
export const fuzz = (): void => {
  test(
    `no change to any sender's message is accepted for what it is not (seed ${seed})`,
    async () => {
      const next = random(seed);
      const genuine = await Promise.all(all.map(({ verifier, vector }) => verifier.verify(vector.request)));
      const until = performance.now() + seconds * 1000;
      let forged = 0;
      for (; performance.now() < until; forged++) {
        const index = upTo(next, all.length);
        const { name, verifier, vector } = all[index] as (typeof all)[number];
        const request = mutate(next, vector.request);
        const sent = next() < 0.3 ? asWeb(request) : request;
        for (const attempt of [verifier.verify, verifier.handshake]) {
          const outcome: unknown = await attempt(sent).catch((error: unknown) => error);
          try {
            if (outcome instanceof Error) expect(outcome).toBeInstanceOf(WebhookVerificationError);
            else if (attempt === verifier.verify) expectSame(outcome as Delivery, genuine[index] as Delivery);
          } catch (cause) {
            throw new Error(
              `${name}: ${JSON.stringify({ ...request, body: Buffer.from(request.body ?? "").toString("base64") })}`,
              { cause },
            );
          }
        }
      }
      // About how many a slow machine manages.
      expect(forged).toBeGreaterThan(seconds * 20);
    },
    (seconds + 60) * 1000,
  );

  test("time grows in step with input, for every scheme", async () => {
    const slow: string[] = [];
    for (const { name, verifier, vector } of all)
      for (const [index, grow] of growing.entries())
        if (await growsTooFast((length) => costOf(verifier, { ...vector.request, body: grow(length) })))
          slow.push(`${name}, pattern ${index}`);
    expect(slow).toEqual([]);
  }, 180_000);
};
