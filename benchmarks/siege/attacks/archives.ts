import type { Account, Attack } from "../attack.ts";
import { addPosts } from "../posts.ts";
import { send } from "../send.ts";

const readersEach = 3;

/** Users who ask for all of their data, as often as they may, and fetch it again and again. */
export const archives: Attack = {
  name: "archives",
  does: "8 users with 7 MB each ask for archives of their data, and fetch them over 3 connections each",
  requirement: "R17, R29",
  seconds: 8,
  accounts: 8,
  prepare: async ({ query, accounts }) => {
    for (const account of accounts) await addPosts(query, account, { count: 350, bodyBytes: 20_000, varied: true });
  },
  run: async ({ port, accounts, isOver, pause }) => {
    const statuses = new Map<string, number>();
    let slowest = 0;
    const ask = async (what: string, { id, authorization, address: from }: Account, method: string, path: string) => {
      const answer = await send({
        port,
        from,
        method,
        path: `/api/v2/users/${id}/exports${path}`,
        headers: { authorization },
      });
      const key = `${what} ${answer.status}`;
      statuses.set(key, (statuses.get(key) ?? 0) + 1);
      return answer;
    };
    const read = async (account: Account, id: string): Promise<void> => {
      const { status } = await ask("fetched", account, "GET", `/${id}/archive`);
      if (status !== 200) await pause(100);
    };
    const user = async (account: Account): Promise<void> => {
      let id = "";
      while (!isOver()) {
        const since = performance.now();
        const asked = await ask("asked", account, "POST", "");
        if (asked.status === 202) {
          ({ id } = JSON.parse(asked.text));
          while (!isOver() && (await ask("looked", account, "GET", `/${id}`)).text.includes('"pending"'))
            await pause(100);
          slowest = Math.max(slowest, performance.now() - since);
        }
        await Promise.all(Array.from({ length: readersEach }, () => read(account, id)));
      }
    };
    await Promise.all(accounts.map(user));
    const seen = [...statuses].toSorted().map(([status, times]) => `${status} × ${times}`);
    return { saw: `${seen.join(", ")}; the slowest was made after ${Math.round(slowest)} ms` };
  },
};
