import type { Attack } from "../attack.ts";
import { countAnswers, inWords, rawRequest } from "../raw-request.ts";

const connections = 220;

/**
 * Announces a body and holds it back, a third of the time on a request that takes no body. Each
 * looks like a request in flight.
 */
export const heldBackBodies: Attack = {
  name: "held-back-bodies",
  does: "220 connections declare a body and hold it back, every third on a GET",
  requirement: "R13, R29",
  seconds: 6,
  run: async ({ addresses, connect, untilOver }) => {
    const statuses = new Map<string, number>();
    const headers = { "content-length": "1000", "content-type": "application/json" };
    // Sign-ups and sign-ins have limits of their own for each address. Three kinds of request stay
    // below them.
    const requests = [
      rawRequest("GET", "/api", { headers }),
      rawRequest("POST", "/api/v2/users", { headers }),
      rawRequest("POST", "/api/v2/sessions", { headers }),
    ];
    for (let n = 0; n < connections; n += 1) {
      const socket = await connect(addresses[n % addresses.length] ?? "");
      countAnswers(socket, statuses);
      socket.write(requests[n % requests.length] ?? "");
    }
    await untilOver();
    return { saw: inWords(statuses) };
  },
};
