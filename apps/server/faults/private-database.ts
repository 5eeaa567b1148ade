import { type PrivateServer, privateServer } from "../../../packages/storage-knex/test/private-server.ts";
import type { Scene } from "./server-under-fault.ts";

export { startsMariadb } from "../../../packages/storage-knex/test/private-server.ts";

export interface PrivateDatabase extends PrivateServer {
  /** The URL for a user who may do everything with its own database and nothing with the server. */
  readonly url: string;
}

/** A MariaDB for this test alone. It is not started yet, and ends with the test. */
export const privateDatabase = async (scene: Scene): Promise<PrivateDatabase> => {
  const server = await privateServer(scene.temporaryDirectory());
  scene.afterwards(() => server.end("SIGKILL"));
  return {
    ...server,
    url: `mysql://postern@127.0.0.1:${server.port}/postern`,
    start: async () => {
      await server.start();
      await server.command(
        "CREATE DATABASE IF NOT EXISTS postern",
        "CREATE USER IF NOT EXISTS postern@127.0.0.1",
        "GRANT ALL ON postern.* TO postern@127.0.0.1",
      );
    },
  };
};

/** Makes numbers from 0 to 1. They are the same for the same seed (mulberry32). */
export const random = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
};
