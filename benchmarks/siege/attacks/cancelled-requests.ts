import type { Account, Attack } from "../attack.ts";
import { addPosts } from "../posts.ts";
import { rawRequest } from "../raw-request.ts";

const lanesEach = 10;
/** How long a request is under way at most before its connection is reset. */
const mostMs = 4;

/** Users who ask for much and never take it. The server must not do more for them than for others. */
export const cancelledRequests: Attack = {
  name: "cancelled-requests",
  does: "8 users ask for long lists and store posts over 80 connections, and reset each before its answer",
  requirement: "R13, R29",
  seconds: 6,
  accounts: 8,
  prepare: async ({ query, accounts }) => {
    for (const account of accounts) await addPosts(query, account, { count: 300, bodyBytes: 2_000 });
  },
  run: async ({ accounts, connect, isOver, pause }) => {
    let sent = 0;
    let refused = 0;
    const lane = async ({ id, authorization, address }: Account, first: number): Promise<void> => {
      const path = `/api/v2/users/${id}/posts`;
      const list = rawRequest("GET", `${path}?limit=100&total=true`, {
        headers: { authorization, "accept-encoding": "br" },
      });
      const body = JSON.stringify({ title: "Never read", body: "x".repeat(2_000) });
      for (let turn = first; !isOver(); turn += 1) {
        const headers = { authorization, "content-type": "application/json", "idempotency-key": `${first}-${turn}` };
        const socket = await connect(address);
        if (socket.destroyed) refused += 1;
        else {
          socket.write(turn % 3 === 0 ? rawRequest("POST", path, { headers, body }) : list);
          sent += 1;
          await pause(turn % mostMs);
          socket.resetAndDestroy();
        }
        await pause(20);
      }
    };
    await Promise.all(accounts.flatMap((account) => Array.from({ length: lanesEach }, (_, n) => lane(account, n))));
    return { saw: `${sent} requests, each reset; ${refused} connections refused` };
  },
};
