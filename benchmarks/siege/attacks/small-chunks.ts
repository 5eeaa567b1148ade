import type { Attack } from "../attack.ts";
import { countAnswers, inWords } from "../raw-request.ts";

const lanesEach = 10;
const chunksAtOnce = 10_000;
const paths = ["/api/webhooks/github", "/api/v2/users", "/nothing"];

/**
 * Bodies in chunks of one byte. Each chunk takes six bytes on the wire and about a microsecond of
 * the event loop.
 */
export const smallChunks: Attack = {
  name: "small-chunks",
  does: "80 connections send bodies in chunks of one byte",
  requirement: "R10",
  seconds: 5,
  run: async ({ addresses, connect, isOver, pause }) => {
    const statuses = new Map<string, number>();
    const piece = "1\r\n \r\n".repeat(chunksAtOnce);
    let cut = 0;
    let sent = 0;
    const lane = async (from: string, n: number): Promise<void> => {
      for (let turn = 0; !isOver(); turn += 1) {
        const socket = await connect(from);
        if (socket.destroyed) {
          await pause(50);
          continue;
        }
        countAnswers(socket, statuses);
        const closed = new Promise((resolve) => socket.once("close", resolve)).then(() => {
          cut += isOver() ? 0 : 1;
        });
        const path = paths[(n + turn) % paths.length];
        socket.write(
          `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
        );
        while (!isOver() && !socket.destroyed) {
          if (socket.writableLength < piece.length) sent += socket.write(piece) ? chunksAtOnce : 0;
          await pause(20);
        }
        socket.destroy();
        await closed;
      }
    };
    await Promise.all(addresses.flatMap((from) => Array.from({ length: lanesEach }, (_, n) => lane(from, n))));
    return { saw: `${inWords(statuses)}; ${cut} connections cut, ${sent.toLocaleString("en")} chunks sent` };
  },
};
