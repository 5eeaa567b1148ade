import type { Attack } from "../attack.ts";
import { rawRequest } from "../raw-request.ts";

const lanes = 64;

/** Uploads that break off halfway. Nothing of them may stay behind. */
export const abortedUploads: Attack = {
  name: "aborted-uploads",
  does: "begins uploads for as long as it lasts, 64 at a time, and cuts each halfway",
  requirement: "R11",
  seconds: 6,
  run: async ({ addresses, connect, isOver, pause }) => {
    const head = rawRequest("POST", "/api/webhooks/github", { headers: { "content-length": "20000" } });
    const half = "x".repeat(10_000);
    let begun = 0;
    const lane = async (n: number): Promise<void> => {
      while (!isOver()) {
        begun += 1;
        const socket = await connect(addresses[n % addresses.length] ?? "");
        socket.write(head + half);
        await pause(5);
        socket.destroy();
      }
    };
    await Promise.all(Array.from({ length: lanes }, (_, n) => lane(n)));
    return { saw: `${begun} uploads` };
  },
};
