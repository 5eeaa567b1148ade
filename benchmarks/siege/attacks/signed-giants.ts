import { createHmac, randomUUID } from "node:crypto";
import type { Attack } from "../attack.ts";
import { send } from "../send.ts";
import { githubSecret } from "../server.ts";

const lanesEach = 2;
/** A webhook may have 5 MiB. */
const characters = 5_200_000;

const members = (count: number, length: number, first: object = {}): string => {
  const value = "x".repeat(length);
  const others = Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, value]));
  return JSON.stringify({ ...first, ...others });
};

/** Each character of a text as an escape of a form. */
const escaped = (text: string): string =>
  Buffer.from(text)
    .toString("hex")
    .replaceAll(/../g, (digits) => `%${digits}`);

interface Giant {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signature: string;
}

/**
 * The bodies that cost the server most, of those that a sender can sign. Each is signed once, because
 * the signature does not cover the delivery's id.
 */
const giants = (): readonly Giant[] => {
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const json = { "content-type": "application/json" };
  const numbers = `${"0,".repeat(characters / 2 - 10)}0]`;
  const bodies = [
    { headers: json, body: members(99_990, 40) },
    { headers: json, body: `{"text":"${"\\u00e9".repeat(characters / 6 - 4)}"}` },
    { headers: form, body: `payload=[${numbers}` },
    { headers: json, body: `\ufeff[${numbers}` },
    // Only the parser can tell the type of the event if the body holds it as a number.
    { headers: json, body: members(99_980, 40, { action: 5 }) },
    { headers: form, body: `payload=${escaped(members(99_980, 4))}` },
  ];
  return bodies.map((one) => ({
    ...one,
    signature: `sha256=${createHmac("sha256", githubSecret).update(one.body).digest("hex")}`,
  }));
};

/** What a configured sender could send who has turned hostile, or whose secret is known. */
export const signedGiants: Attack = {
  name: "signed-giants",
  does: "16 connections of 8 addresses send webhooks of 5 MB with valid signatures and as many members as fit",
  requirement: "R15, section 2.10",
  seconds: 6,
  run: async ({ port, addresses, isOver, inspect }) => {
    const statuses = new Map<number, number>();
    const before = (await inspect()).mainThreadMs;
    const all = giants();
    const lane = async (from: string, first: number): Promise<void> => {
      for (let n = first; !isOver(); n += 1) {
        const { headers, body, signature } = all[n % all.length] ?? { headers: {}, body: "", signature: "" };
        const own = {
          ...headers,
          "x-hub-signature-256": signature,
          "x-github-event": "push",
          "x-github-delivery": randomUUID(),
        };
        const { status } = await send({ port, from, method: "POST", path: "/api/webhooks/github", headers: own, body });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(addresses.flatMap((from) => Array.from({ length: lanesEach }, (_, n) => lane(from, n))));
    const ms = (await inspect()).mainThreadMs - before;
    const seen = [...statuses].toSorted(([a], [b]) => a - b).map(([status, times]) => `${status} × ${times}`);
    return { saw: `${seen.join(", ")}; ${Math.round(ms)} ms of the main thread` };
  },
};
