import { randomUUID } from "node:crypto";
import type { Attack } from "../attack.ts";
import { send } from "../send.ts";

const lanesEach = 8;
/** The longest text that a post may have. */
const characters = 100_000;

/** What the connections of a user do: new keys, one key again and again, and keys that they share for 200 ms. */
const kinds = ["new", "again", "shared"] as const;

const keyOf = (kind: (typeof kinds)[number] | undefined, own: string): string =>
  kind === "new"
    ? `${randomUUID()}-${"k".repeat(200)}`
    : kind === "shared"
      ? `shared-${Math.floor(performance.now() / 200)}`
      : own;

/** Answers that are kept are encrypted, stored in the write's transaction, and read again for each repeat. */
export const keptAnswers: Attack = {
  name: "kept-answers",
  does: "64 connections of 8 users write posts of 100 kB under new keys, under one key together, and again under used ones",
  requirement: "R15",
  seconds: 6,
  accounts: 8,
  run: async ({ port, accounts, isOver, inspect }) => {
    const statuses = new Map<string, number>();
    const before = (await inspect()).mainThreadMs;
    let slowest = 0;
    const lane = async ({ id, authorization, address: from }: (typeof accounts)[number], n: number): Promise<void> => {
      const body = JSON.stringify({ title: "t", body: "ü".repeat(characters) });
      const own = randomUUID();
      const kind = kinds[n % kinds.length];
      while (!isOver()) {
        const key = keyOf(kind, own);
        const headers = { authorization, "idempotency-key": `"${key}"` };
        const { status, ms } = await send({
          port,
          from,
          method: "POST",
          path: `/api/v2/users/${id}/posts`,
          headers,
          body,
        });
        const what = `${kind} ${status}`;
        statuses.set(what, (statuses.get(what) ?? 0) + 1);
        slowest = Math.max(slowest, ms);
      }
    };
    await Promise.all(accounts.flatMap((account) => Array.from({ length: lanesEach }, (_, n) => lane(account, n))));
    const ms = (await inspect()).mainThreadMs - before;
    const seen = [...statuses].toSorted().map(([status, times]) => `${status} × ${times}`);
    return { saw: `${seen.join(", ")}; slowest ${Math.round(slowest)} ms; ${Math.round(ms)} ms of the main thread` };
  },
};
