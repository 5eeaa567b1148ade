import { once } from "node:events";
import { connect as connectOverTls } from "node:tls";
import type { Attack } from "../attack.ts";
import { rawRequest } from "../raw-request.ts";

const lanesEach = 10;
const requests = rawRequest("GET", "/api/v2/openapi.json").repeat(4);

/**
 * Connections that end with a reset: in the middle of a TLS handshake, right after it, and after
 * requests whose answers are long. Sessions are resumed, because that is cheaper for the attacker.
 */
export const resets: Attack = {
  name: "resets",
  does: "80 connections reset a TLS handshake, a resumed session, and one with four requests, in turn",
  requirement: "R13, section 7, item 10",
  seconds: 6,
  tls: true,
  run: async ({ addresses, connect, isOver, pause }) => {
    let reset = 0;
    let resumed = 0;
    let refused = 0;
    const lane = async (address: string, first: number): Promise<void> => {
      let session: Buffer | undefined;
      for (let turn = first; !isOver(); turn += 1) {
        const raw = await connect(address);
        const socket = connectOverTls({ socket: raw, rejectUnauthorized: false, ...(session && { session }) });
        socket
          .on("error", () => undefined)
          .on("session", (given) => {
            session = given;
          });
        // The first bytes of the server are its half of the handshake.
        const heard = turn % 3 === 0 ? once(raw, "data") : once(socket, "secureConnect");
        await Promise.race([heard, once(raw, "close"), pause(1_000)]).catch(() => undefined);
        if (raw.destroyed) {
          refused += 1;
          await pause(10);
        } else {
          if (socket.isSessionReused()) resumed += 1;
          if (turn % 3 === 1) socket.write(requests);
          await pause(1);
          raw.resetAndDestroy();
          reset += 1;
        }
        socket.destroy();
      }
    };
    await Promise.all(addresses.flatMap((address) => Array.from({ length: lanesEach }, (_, n) => lane(address, n))));
    return { saw: `${reset} reset, ${resumed} of them resumed, ${refused} refused` };
  },
};
