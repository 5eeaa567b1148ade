import type { Attack } from "../attack.ts";
import { addPosts } from "../posts.ts";
import { send } from "../send.ts";

/**
 * A page whose included rows are many times the page: every post includes its author, and every
 * author includes twenty posts.
 */
export const oneHugeAnswer: Attack = {
  name: "one-huge-answer",
  does: "one connection asks for a page of 100 posts of 99 kB with include=author.posts, again and again",
  requirement: "R28",
  seconds: 6,
  accounts: 1,
  prepare: ({ query, accounts }) => addPosts(query, accounts[0], { count: 100, bodyBytes: 99_000 }),
  run: async ({ port, accounts, isOver, pause }) => {
    const [account] = accounts;
    if (account === undefined) throw new Error("this attack needs an account");
    let largest = 0;
    const statuses = new Set<number>();
    while (!isOver()) {
      const { status, bytes } = await send({
        port,
        from: account.address,
        method: "GET",
        path: `/api/v2/users/${account.id}/posts?limit=100&include=author.posts`,
        headers: { authorization: account.authorization },
      });
      largest = Math.max(largest, bytes);
      statuses.add(status);
      await pause(50);
    }
    return { saw: `answers of up to ${(largest / 1e6).toFixed(1)} MB (${[...statuses].join(", ")})` };
  },
};
