import type { Attack } from "../attack.ts";
import { countAnswers, inWords, rawRequest } from "../raw-request.ts";

const connectionsEach = 4;
const requests = rawRequest("GET", "/health/ready").repeat(64);

/** More health checks than can be answered. None is refused, so only their turns bound them. */
export const healthChecks: Attack = {
  name: "health-checks",
  does: "32 connections of 8 addresses send 64 health checks every 5 ms",
  requirement: "R16",
  seconds: 4,
  run: async ({ addresses, connect, isOver, pause }) => {
    const statuses = new Map<string, number>();
    const lane = async (address: string): Promise<void> => {
      while (!isOver()) {
        const socket = await connect(address);
        countAnswers(socket, statuses);
        while (!socket.destroyed && !isOver()) {
          if (!socket.writableNeedDrain) socket.write(requests);
          await pause(5);
        }
      }
    };
    await Promise.all(addresses.flatMap((address) => Array.from({ length: connectionsEach }, () => lane(address))));
    return { saw: inWords(statuses) };
  },
};
