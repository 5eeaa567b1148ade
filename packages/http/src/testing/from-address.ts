import { request } from "node:http";
import { connect, type Socket } from "node:net";

export interface Reply {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Sends one request from another address of this machine, over a connection of its own. */
export const from = (
  address: string,
  url: string,
  init: { method?: string; headers?: Record<string, string>; body?: string | Uint8Array } = {},
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const { body, method = body === undefined ? "GET" : "POST", headers = {} } = init;
    const call = request(url, { localAddress: address, agent: false, method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.once("end", () =>
        resolve({ status: answer.statusCode, headers: answer.headers, text: Buffer.concat(chunks).toString() }),
      );
      answer.once("error", reject);
    });
    call.once("error", reject);
    call.end(body);
  });

const opened = new Set<Socket>();

/** A connection from another address that sends bytes and reads nothing until it is told to. */
export const hold = (address: string, port: number, bytes: string | Uint8Array = ""): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: address }, () => {
      socket.off("error", reject).on("error", () => undefined);
      socket.pause();
      if (bytes.length === 0) resolve(socket);
      else socket.write(bytes, () => resolve(socket));
    });
    opened.add(socket);
    socket.once("error", reject);
  });

/** Ends every held connection. */
export const letGo = (): void => {
  for (const socket of opened) socket.destroy();
  opened.clear();
};

/** Opens more connections from an address than it may, and breaks each off. */
export const breakOff = async (address: string, port: number): Promise<void> => {
  for (let times = 0; times < 10; times += 1) {
    const sockets = await Promise.all(Array.from({ length: 40 }, () => hold(address, port)));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.destroy().once("close", resolve))));
  }
};
