import type { Account, Attack } from "../attack.ts";
import { rawRequest } from "../raw-request.ts";
import { send } from "../send.ts";

const lanesEach = 2;
/**
 * The number of open connections may differ by this many, because the healthy client's own come and
 * go.
 */
const openFilesAllowed = 24;
/**
 * How far the size of a heap that is not full may vary. A leak of a kilobyte per request exceeds
 * it.
 */
const memoryAllowed = 48;
/** This long after the last request, nothing of it may be left. */
const settleMs = 1_000;

/**
 * Not an attack, but what all callers do all day, in every way in which a request may end.
 * Afterwards the server must hold as much as before.
 */
export const steadyUse: Attack = {
  name: "steady-use",
  does: "asks on connections that are closed, cut, refused and left, and looks whether anything stays behind",
  requirement: "R10",
  seconds: 12,
  accounts: 8,
  run: async ({ port, accounts, connect, inspect, isOver, pause }) => {
    let requests = 0;
    let ended = false;
    const visit = async (account: Account, turn: number): Promise<void> => {
      const { id, address: from, authorization } = account;
      const headers = { authorization };
      requests += 1;
      switch (turn % 6) {
        case 0:
          return void (await send({ port, from, method: "GET", path: `/api/v2/users/${id}/posts?limit=5`, headers }));
        case 1: {
          const body = JSON.stringify({ title: `Post ${turn}`, body: "Words." });
          return void (await send({ port, from, method: "POST", path: `/api/v2/users/${id}/posts`, headers, body }));
        }
        case 2:
          return void (await send({ port, from, method: "GET", path: "/api/v2/nothing-here", headers }));
        case 3: {
          // Cut while the body is being sent.
          const socket = await connect(from);
          const length = { ...headers, "content-type": "application/json", "content-length": "5000" };
          socket.write(`${rawRequest("POST", `/api/v2/users/${id}/posts`, { headers: length })}{"title":`);
          await pause(20);
          return void socket.destroy();
        }
        case 4: {
          // Left before the answer came.
          const socket = await connect(from);
          socket.write(rawRequest("GET", "/api/v2/openapi.json").repeat(2));
          return void socket.destroy();
        }
        default:
          return void (await send({ port, from, method: "POST", path: "/api/webhooks/github", body: "{}" }));
      }
    };
    const lane = async (account: Account): Promise<void> => {
      for (let turn = 0; !isOver() && !ended; turn += 1) {
        await visit(account, turn);
        await pause(60);
      }
    };
    const lanes = accounts.flatMap((account) => Array.from({ length: lanesEach }, () => lane(account)));
    // The first third fills the heap and compiles the code that is used.
    const startedAt = performance.now();
    await pause(4_000);
    const before = await inspect();
    await pause(Math.max(0, 11_000 - settleMs - (performance.now() - startedAt)));
    ended = true;
    await Promise.all(lanes);
    await pause(settleMs);
    const after = await inspect();
    const files = after.openFiles - before.openFiles;
    const memory = Math.round(after.memory - before.memory);
    return {
      saw: `${requests} requests; open files ${before.openFiles} then ${after.openFiles}, memory ${memory >= 0 ? "+" : ""}${memory} MB`,
      fault:
        files > openFilesAllowed
          ? `${files} more files are open than before`
          : memory > memoryAllowed
            ? `${memory} MB more are held than before`
            : undefined,
    };
  },
};
