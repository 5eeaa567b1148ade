import type { Attack } from "../attack.ts";
import { rawRequest } from "../raw-request.ts";

const connectionsEach = 8;

/**
 * Not an attack, but what a deployment does to clients: SIGTERM while 64 connections send without a
 * pause. Every request that was sent must be answered.
 */
export const deployment: Attack = {
  name: "deployment",
  does: "ends the server by SIGTERM while 64 connections ask without a pause",
  requirement: "R17",
  seconds: 5,
  accounts: 8,
  run: async ({ accounts, connect, pause, endServer, untilOver }) => {
    let answered = 0;
    let unanswered = 0;
    const lane = async ({ address, authorization }: (typeof accounts)[number]): Promise<void> => {
      const request = rawRequest("GET", "/api/v2/users/me", { headers: { authorization } });
      const socket = await connect(address);
      let isWaiting = false;
      const ask = (): void => {
        if (socket.destroyed) return;
        isWaiting = true;
        socket.write(request);
      };
      socket.setEncoding("latin1").on("data", (text: string) => {
        if (!/HTTP\/1\.1 \d/.test(text)) return;
        answered += 1;
        isWaiting = false;
        if (!/^connection: close/im.test(text)) setTimeout(ask, 50);
      });
      socket.once("close", () => {
        if (isWaiting) unanswered += 1;
      });
      ask();
    };
    await Promise.all(accounts.flatMap((account) => Array.from({ length: connectionsEach }, () => lane(account))));
    await pause(1_000);
    await endServer();
    await untilOver();
    return {
      saw: `${answered} answered, ${unanswered} not`,
      fault: unanswered === 0 ? undefined : `${unanswered} requests were not answered`,
    };
  },
};
