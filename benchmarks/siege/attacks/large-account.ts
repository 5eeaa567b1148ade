import type { Attack } from "../attack.ts";
import { addPosts } from "../posts.ts";
import { send } from "../send.ts";

const posts = 200_000;

/**
 * Deletes an account with many rows. One transaction for all of them would delay every other
 * writer.
 */
export const largeAccount: Attack = {
  name: "large-account",
  does: "deletes an account with 200,000 posts",
  requirement: "R31",
  seconds: 6,
  accounts: 1,
  prepare: ({ query, accounts }) => addPosts(query, accounts[0], { count: posts, bodyBytes: 100 }),
  run: async ({ port, accounts, pause, untilOver }) => {
    const [account] = accounts;
    if (account === undefined) throw new Error("this attack needs an account");
    await pause(500);
    const { status, ms } = await send({
      port,
      from: account.address,
      method: "DELETE",
      path: `/api/v2/users/${account.id}`,
      headers: { authorization: account.authorization, "if-match": "*" },
    });
    await untilOver();
    return { saw: `${status} after ${Math.round(ms)} ms` };
  },
};
