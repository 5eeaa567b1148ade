import type { Attack } from "../attack.ts";
import { countAnswers, inWords, rawRequest } from "../raw-request.ts";

const connectionsEach = 4;
const pipelined = 8;

/**
 * Webhooks with a wrong signature, as fast as they are refused. Each once wrote half a kilobyte of
 * log.
 */
export const forgedWebhooks: Attack = {
  name: "forged-webhooks",
  does: "32 connections send webhooks with a wrong signature as fast as they are refused",
  requirement: "section 2.4, R15",
  seconds: 4,
  run: async ({ addresses, connect, isOver, pause }) => {
    const statuses = new Map<string, number>();
    const forged = rawRequest("POST", "/api/webhooks/github", {
      headers: {
        "content-type": "application/json",
        "x-hub-signature-256": `sha256=${"0".repeat(64)}`,
        "x-github-delivery": "forged",
        "x-github-event": "push",
      },
      body: JSON.stringify({ padding: "x".repeat(900) }),
    });
    let opened = 0;
    const lane = async (address: string): Promise<void> => {
      while (!isOver()) {
        const socket = await connect(address);
        opened += 1;
        countAnswers(socket, statuses);
        // As many again as were answered, so that the connection is never idle.
        socket.on("data", (text: string) => {
          const answers = text.split("HTTP/1.1 401").length - 1;
          if (!isOver() && socket.writable && answers > 0) socket.write(forged.repeat(answers));
        });
        socket.write(forged.repeat(pipelined));
        while (!socket.destroyed && !isOver()) await pause(20);
      }
    };
    await Promise.all(addresses.flatMap((address) => Array.from({ length: connectionsEach }, () => lane(address))));
    return { saw: `${inWords(statuses)} on ${opened} connections` };
  },
};
