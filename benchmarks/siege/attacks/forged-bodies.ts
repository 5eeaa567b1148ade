import type { Attack } from "../attack.ts";
import { send } from "../send.ts";

const lanesEach = 2;
/** Within the bound of a webhook, and as one word: it might be base64. */
const body = "a".repeat(4_900_000);

/** The longest webhooks, with signatures that are wrong. */
export const forgedBodies: Attack = {
  name: "forged-bodies",
  does: "16 connections of 8 addresses send webhooks of 4.9 MB with wrong signatures",
  requirement: "R15, section 2.10",
  seconds: 4,
  run: async ({ port, addresses, isOver, inspect }) => {
    const statuses = new Map<number, number>();
    const before = (await inspect()).mainThreadMs;
    const lane = async (from: string): Promise<void> => {
      const headers = { "x-github-event": "push", "x-hub-signature-256": `sha256=${"a".repeat(64)}` };
      while (!isOver()) {
        const { status } = await send({ port, from, method: "POST", path: "/api/webhooks/github", headers, body });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(addresses.flatMap((from) => Array.from({ length: lanesEach }, () => lane(from))));
    const ms = (await inspect()).mainThreadMs - before;
    const seen = [...statuses].toSorted(([a], [b]) => a - b).map(([status, times]) => `${status} × ${times}`);
    return { saw: `${seen.join(", ")}; ${Math.round(ms)} ms of the main thread` };
  },
};
