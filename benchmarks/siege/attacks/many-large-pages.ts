import type { Attack } from "../attack.ts";
import { addPosts } from "../posts.ts";
import { countAnswers, inWords, rawRequest } from "../raw-request.ts";

const connectionsEach = 16;

/**
 * Many accounts each ask for the largest pages there are, all at once. They would take the memory
 * that one account may use, times their number.
 */
export const manyLargePages: Attack = {
  name: "many-large-pages",
  does: "128 connections of 8 accounts at 8 addresses ask for pages of 8 MiB with what belongs to them; half read slowly",
  requirement: "R27, R28, R29",
  seconds: 7,
  accounts: 8,
  prepare: async ({ query, accounts }) => {
    for (const account of accounts) await addPosts(query, account, { count: 100, bodyBytes: 99_000 });
  },
  run: async ({ accounts, connect, isOver, pause }) => {
    const statuses = new Map<string, number>();
    const lane = async ({ id, authorization, address }: (typeof accounts)[number], n: number): Promise<void> => {
      const reads = n % 2 === 0;
      const query = reads ? "limit=100" : "limit=100&include=author.posts";
      const request = rawRequest("GET", `/api/v2/users/${id}/posts?${query}`, { headers: { authorization } });
      while (!isOver()) {
        const socket = await connect(address);
        if (reads) {
          countAnswers(socket, statuses);
          socket.on("data", (text: string) => {
            if (/HTTP\/1\.1 \d/.test(text) && !isOver() && socket.writable) socket.write(request);
          });
        } else socket.pause();
        socket.write(request);
        while (!socket.destroyed && !isOver()) {
          if (!reads) socket.read(1000);
          await pause(100);
        }
      }
    };
    await Promise.all(
      accounts.flatMap((account) => Array.from({ length: connectionsEach }, (_, n) => lane(account, n))),
    );
    return { saw: inWords(statuses) };
  },
};
