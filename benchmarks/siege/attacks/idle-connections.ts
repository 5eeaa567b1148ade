import type { Attack } from "../attack.ts";

const each = 500;

/** Connections that say nothing, opened again when they are cut. */
export const idleConnections: Attack = {
  name: "idle-connections",
  does: "keeps 4,000 connections open that say nothing",
  requirement: "R12",
  seconds: 6,
  run: async ({ addresses, connect, isOver, pause }) => {
    let opened = 0;
    const open = new Set<unknown>();
    let most = 0;
    const keep = async (address: string): Promise<void> => {
      while (!isOver()) {
        const socket = await connect(address);
        if (!socket.destroyed) {
          opened += 1;
          open.add(socket);
          most = Math.max(most, open.size);
          await new Promise<void>((resolve) => {
            socket.resume().once("close", resolve);
            if (isOver()) resolve();
            void pause(60_000).then(resolve);
          });
          open.delete(socket);
        }
        await pause(200);
      }
    };
    await Promise.all(addresses.flatMap((address) => Array.from({ length: each }, () => keep(address))));
    return { saw: `${most} open at once, ${opened} opened` };
  },
};
