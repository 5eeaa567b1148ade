import type { Attack } from "../attack.ts";
import { rawRequest } from "../raw-request.ts";

const connections = 60;
const requestsEach = 45;
const waves = 2;

/**
 * Pipelines requests for a large document and reads none of the answers, so that they stay in the
 * server's memory.
 */
export const unreadAnswers: Attack = {
  name: "unread-answers",
  does: "60 connections ask 45 times for openapi.json in one go and read nothing; then 60 more",
  requirement: "R27",
  seconds: 7,
  run: async ({ addresses, connect, pause, untilOver }) => {
    const request = rawRequest("GET", "/api/v1/openapi.json");
    let cut = 0;
    for (let wave = 0; wave < waves; wave += 1) {
      for (let n = 0; n < connections; n += 1) {
        const socket = await connect(addresses[n % addresses.length] ?? "");
        socket.pause().once("close", () => {
          cut += 1;
        });
        socket.write(request.repeat(requestsEach));
      }
      await pause(3_000);
    }
    await untilOver();
    return { saw: `${cut} of ${connections * waves} cut` };
  },
};
