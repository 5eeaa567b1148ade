import type { Attack } from "../attack.ts";
import { rawRequest } from "../raw-request.ts";

const connections = 32;
const largest = 5 * 1024 * 1024 - 1;
const smallest = 256;

/**
 * Webhook bodies that never end: unsigned bytes that stay in memory. When a large one is refused,
 * smaller ones fill the rest.
 */
export const halfSentWebhooks: Attack = {
  name: "half-sent-webhooks",
  does: "32 connections send a webhook of 5 MiB and stop one byte short; one that is refused stops after half as much",
  requirement: "section 2.10",
  seconds: 6,
  run: async ({ addresses, connect, isOver, pause }) => {
    const head = rawRequest("POST", "/api/webhooks/github", { headers: { "content-length": String(largest + 1) } });
    let held = 0;
    const lane = async (n: number): Promise<void> => {
      let bytes = largest;
      while (!isOver()) {
        const socket = await connect(addresses[n % addresses.length] ?? "");
        let refused = false;
        socket.once("data", () => {
          refused = true;
        });
        socket.write(head);
        socket.write(Buffer.alloc(bytes, " "));
        held += bytes;
        while (!refused && !socket.destroyed && !isOver()) await pause(20);
        if (isOver()) return;
        held -= bytes;
        socket.destroy();
        bytes = Math.max(smallest, Math.floor(bytes / 2));
      }
    };
    await Promise.all(Array.from({ length: connections }, (_, n) => lane(n)));
    return { saw: `${(held / 1024 / 1024).toFixed(1)} MiB held at the end` };
  },
};
