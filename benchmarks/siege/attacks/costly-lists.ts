import type { Attack } from "../attack.ts";
import { addPosts } from "../posts.ts";
import { send } from "../send.ts";

const posts = 200_000;
const atOnce = 20;

/**
 * Lists of the caller's own rows that no index serves: filtered by one field, sorted by another,
 * and counted.
 */
export const costlyLists: Attack = {
  name: "costly-lists",
  does: "20 connections list 200,000 own posts, filtered, sorted by another field, and counted",
  requirement: "R29",
  seconds: 6,
  accounts: 1,
  prepare: ({ query, accounts }) => addPosts(query, accounts[0], { count: posts, bodyBytes: 100 }),
  run: async ({ port, accounts, isOver }) => {
    const [account] = accounts;
    if (account === undefined) throw new Error("this attack needs an account");
    const statuses = new Map<number, number>();
    const times: number[] = [];
    const lane = async (): Promise<void> => {
      while (!isOver()) {
        const { status, ms } = await send({
          port,
          from: account.address,
          method: "GET",
          path: `/api/v2/users/${account.id}/posts?filter[updated_at][gte]=2026-01-01T00:00:05.000Z&sort=title&total=true&limit=10`,
          headers: { authorization: account.authorization },
        });
        times.push(ms);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    const seen = [...statuses].map(([status, count]) => `${status} × ${count}`).join(", ");
    return { saw: `${seen}; slowest ${Math.round(Math.max(...times))} ms` };
  },
};
