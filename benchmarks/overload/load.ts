/**
 * The process that makes the load. It gets its order, opens its connections, and sends in one of
 * two ways: as fast as it is answered, or at a rate, whatever the answers are.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Account } from "../siege/attack.ts";
import { rawRequest } from "../siege/raw-request.ts";

export interface Order {
  readonly port: number;
  readonly accounts: readonly Account[];
  readonly connectionsEach: number;
  readonly seconds: number;
  /**
   * Requests a second over all connections. With 0 each connection sends when it has been answered.
   */
  readonly rate: number;
}

export interface Measured {
  readonly perSecond: number;
  /** Requests that were due, sent or not. */
  readonly sentPerSecond: number;
  /** Milliseconds until answers with 200 and until refusals (429, 503), sorted. */
  readonly accepted: readonly number[];
  readonly refused: readonly number[];
  /** Requests that were due while every connection waited for an answer. */
  readonly notSent: number;
  /** Connections that the server closed. */
  readonly closed: number;
}

interface Lane {
  socket: Socket;
  readonly request: string;
  readonly address: string;
  sentAt: number;
  isBusy: boolean;
}

const endOfHead = "\r\n\r\n";

const run = async ({ port, accounts, connectionsEach, seconds, rate }: Order): Promise<Measured> => {
  const accepted: number[] = [];
  const refused: number[] = [];
  let notSent = 0;
  let closed = 0;
  let sent = 0;
  let isOver = false;
  const idle: Lane[] = [];

  const sendOn = (lane: Lane): void => {
    lane.isBusy = true;
    lane.sentAt = performance.now();
    sent += 1;
    lane.socket.write(lane.request);
  };

  const open = async (lane: Lane): Promise<void> => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: lane.address });
    lane.socket = socket;
    socket.setNoDelay(true);
    let rest = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      rest += chunk;
      const headEnd = rest.indexOf(endOfHead);
      if (headEnd === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(rest.slice(0, headEnd))?.[1] ?? 0);
      if (rest.length < headEnd + endOfHead.length + length) return;
      const status = rest.slice(9, 12);
      rest = "";
      lane.isBusy = false;
      (status === "200" ? accepted : refused).push(performance.now() - lane.sentAt);
      if (isOver) return;
      if (rate === 0) sendOn(lane);
      else idle.push(lane);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      closed += 1;
      const place = idle.indexOf(lane);
      if (place !== -1) idle.splice(place, 1);
      if (!isOver) setTimeout(() => void open(lane), 10);
    });
    await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => undefined);
    lane.isBusy = false;
    if (socket.destroyed || isOver) return;
    if (rate === 0) sendOn(lane);
    else idle.push(lane);
  };

  const lanes = accounts.flatMap(({ address, authorization }) =>
    Array.from({ length: connectionsEach }, (): Lane => {
      const request = rawRequest("GET", "/api/v2/users/me", { headers: { authorization } });
      return { socket: undefined as unknown as Socket /* opened below */, request, address, sentAt: 0, isBusy: true };
    }),
  );
  await Promise.all(lanes.map(open));
  const startedAt = performance.now();
  const countedFrom = accepted.length;
  let due = 0;
  const timer = setInterval(() => {
    if (rate === 0) return;
    const now = ((performance.now() - startedAt) * rate) / 1000;
    for (; due < now; due += 1) {
      const lane = idle.shift();
      if (lane === undefined) notSent += 1;
      else sendOn(lane);
    }
  }, 1);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  clearInterval(timer);
  isOver = true;
  const elapsed = (performance.now() - startedAt) / 1000;
  const perSecond = (accepted.length - countedFrom) / elapsed;
  const sentPerSecond = sent / elapsed;
  // Requests still under way count, too, with their time so far.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  for (const { socket } of lanes) socket.destroy();
  const inOrder = (times: readonly number[]): readonly number[] => times.toSorted((a, b) => a - b);
  return { perSecond, sentPerSecond, accepted: inOrder(accepted), refused: inOrder(refused), notSent, closed };
};

process.once("message", (order: Order) => {
  void run(order).then((measured) => {
    // If the channel ended before everything is written, the end of a long message would be lost.
    process.send?.(measured, undefined, undefined, () => process.disconnect());
  });
});
// An order that came before there was a listener would be lost.
process.send?.("ready");
