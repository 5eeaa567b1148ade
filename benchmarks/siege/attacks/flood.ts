import type { Attack } from "../attack.ts";
import { countAnswers, inWords, rawRequest } from "../raw-request.ts";

const connectionsEach = 16;

/**
 * More requests than can be answered, from eight addresses: at first each stays within its limit,
 * then the limit refuses it.
 */
export const flood: Attack = {
  name: "flood",
  does: "128 connections of 8 addresses ask as fast as they are answered",
  requirement: "R16",
  seconds: 6,
  accounts: 8,
  run: async ({ accounts, connect, isOver, pause }) => {
    const statuses = new Map<string, number>();
    const lane = async ({ address, authorization }: (typeof accounts)[number]): Promise<void> => {
      const request = rawRequest("GET", "/api/v2/users/me", { headers: { authorization } });
      while (!isOver()) {
        const socket = await connect(address);
        countAnswers(socket, statuses);
        socket.on("data", (text: string) => {
          if (/HTTP\/1\.1 \d/.test(text) && !isOver() && socket.writable) socket.write(request);
        });
        socket.write(request);
        while (!socket.destroyed && !isOver()) await pause(50);
      }
    };
    await Promise.all(accounts.flatMap((account) => Array.from({ length: connectionsEach }, () => lane(account))));
    return { saw: inWords(statuses) };
  },
};
