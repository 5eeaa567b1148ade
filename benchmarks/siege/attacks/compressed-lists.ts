import type { Attack } from "../attack.ts";
import { addPosts } from "../posts.ts";
import { send } from "../send.ts";

const lanes = 24;

/**
 * The header with which a caller has its answers compressed. The weights change from request to
 * request.
 */
const accepted = ["gzip", "br", "gzip;q=0.5, br;q=0.4", "*;q=0.1, identity;q=0"];

/** Answers whose texts hardly shrink, small and large ones, each compressed for its caller. */
export const compressedLists: Attack = {
  name: "compressed-lists",
  does: "24 connections of 4 accounts have lists of up to 1 MB compressed, in both codings, and strangers the documents",
  requirement: "R15, R29",
  seconds: 6,
  accounts: 4,
  prepare: async ({ query, accounts }) => {
    for (const account of accounts) await addPosts(query, account, { count: 100, bodyBytes: 10_000, varied: true });
  },
  run: async ({ port, accounts, addresses, isOver }) => {
    const statuses = new Map<number, number>();
    const times: number[] = [];
    const get = async (from: string, path: string, headers: Record<string, string>): Promise<void> => {
      const { status, ms } = await send({ port, from, method: "GET", path, headers });
      times.push(ms);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    };
    const lane = async (_: unknown, number: number): Promise<void> => {
      const account = accounts[number % accounts.length];
      if (account === undefined) throw new Error("this attack needs accounts");
      for (let count = number; !isOver(); count += 1) {
        const headers = { "accept-encoding": accepted[count % accepted.length] ?? "" };
        if (count % 8 === 0) await get(addresses[number % 8] ?? "", `/api/v${1 + (count % 2)}/docs`, headers);
        await get(account.address, `/api/v2/users/${account.id}/posts?limit=${count % 2 === 0 ? 100 : 6}`, {
          ...headers,
          authorization: account.authorization,
        });
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    const seen = [...statuses].map(([status, count]) => `${status} × ${count}`).join(", ");
    return { saw: `${seen}; slowest ${Math.round(Math.max(...times))} ms` };
  },
};
