import type { Attack } from "../attack.ts";
import { addPosts } from "../posts.ts";
import { rawRequest } from "../raw-request.ts";

const connections = 100;

/** Ordinary requests for large pages, whose answers are read at 1 kB a second. */
export const slowReaders: Attack = {
  name: "slow-readers",
  does: "100 connections each ask for a page of 10 MB and read 1 kB a second",
  requirement: "R13, R27",
  seconds: 7,
  accounts: 1,
  prepare: ({ query, accounts }) => addPosts(query, accounts[0], { count: 100, bodyBytes: 99_000 }),
  run: async ({ addresses, accounts, connect, pause, isOver }) => {
    const [account] = accounts;
    const request = rawRequest("GET", `/api/v2/users/${account?.id}/posts?limit=100`, {
      headers: { authorization: account?.authorization ?? "" },
    });
    const sockets = [];
    for (let n = 0; n < connections; n += 1) {
      const socket = await connect(addresses[n % addresses.length] ?? "");
      socket.pause();
      socket.write(request);
      sockets.push(socket);
    }
    while (!isOver()) {
      for (const socket of sockets) socket.read(1000);
      await pause(1_000);
    }
    return { saw: `${sockets.filter(({ destroyed }) => destroyed).length} of ${connections} cut` };
  },
};
