import type { Attack } from "../attack.ts";
import { rawRequest } from "../raw-request.ts";

const connectionsEach = 2;
/** More than the buffers of a connection take, so that the last request waits for its answer. */
const requests = rawRequest("GET", "/api/v2/docs").repeat(20);
const nonsense = Buffer.alloc(64 * 1024, "nonsense ");

/** Bytes that are no HTTP, behind requests whose answers are not read. */
export const nonsenseBehindRequests: Attack = {
  name: "nonsense-behind-requests",
  does: "16 connections read none of their answers and send 64 KiB of nonsense after the other",
  requirement: "R32, R13",
  seconds: 4,
  run: async ({ addresses, connect, isOver, pause }) => {
    let sent = 0;
    let cut = 0;
    const lane = async (address: string): Promise<void> => {
      while (!isOver()) {
        const socket = await connect(address);
        socket.pause().on("close", () => {
          cut += isOver() ? 0 : 1;
        });
        socket.write(requests);
        while (!socket.destroyed && !isOver()) {
          if (socket.writableNeedDrain) await pause(1);
          else {
            socket.write(nonsense);
            sent += nonsense.length;
          }
        }
        await pause(300);
      }
    };
    await Promise.all(addresses.flatMap((address) => Array.from({ length: connectionsEach }, () => lane(address))));
    return { saw: `${Math.round(sent / 1024 / 1024)} MiB of nonsense sent, ${cut} connections cut` };
  },
};
