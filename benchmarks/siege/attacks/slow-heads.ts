import type { Attack } from "../attack.ts";

const each = 90;

/** Heads of requests that never end, a byte at a time. */
export const slowHeads: Attack = {
  name: "slow-heads",
  does: "720 connections send the head of a request, two bytes a second",
  requirement: "R13",
  seconds: 6,
  run: async ({ addresses, connect, isOver, pause }) => {
    const head = `GET /api HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ${"x".repeat(1000)}`;
    let cut = 0;
    const lane = async (address: string): Promise<void> => {
      const socket = await connect(address);
      for (let n = 0; n < head.length && !isOver() && !socket.destroyed; n += 1) {
        socket.write(head[n] ?? "");
        await pause(500);
      }
      if (socket.destroyed) cut += 1;
    };
    await Promise.all(addresses.flatMap((address) => Array.from({ length: each }, () => lane(address))));
    return { saw: `${cut} of ${each * addresses.length} cut` };
  },
};
