import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "@postern/rest";
import { clientAddress } from "../client-address.ts";
import { createFairQueue } from "../fair-queue.ts";
import type { Gateway } from "../gateway.ts";
import { forgetAnswered, latestOn, turns, waitingBefore } from "./node-exchange.ts";

/**
 * Connections that are not read for a moment. While more requests wait than a turn of the event
 * loop begins, each connection whose request has been answered rests before it is read again, and
 * networks take turns. Its next request waits in the system meanwhile, where it costs nothing. In
 * this process it would cost as much memory as a request that is being answered, which the garbage
 * collector would have to move again and again.
 */

/** Connections rest while the process has so many requests. As many keep it busy. */
const enough = 64;
/** All that rest now are read again within about this time, however many requests there are. */
const longestMs = 100;
/** While nothing is answered, this is how often is looked whether there is room. */
const lookEveryMs = 1;

const resting = createFairQueue<Socket>();
let answered: { readonly gateway: Gateway; readonly req: IncomingMessage; readonly res: ServerResponse }[] = [];
let isScheduled = false;
let lastMs = 0;
/** Connections, and parts of one, that are to be read again because they rest for long. */
let owed = 0;

/** The requests that the process has taken in and not answered. */
const requestsOf = ({ overload }: Gateway): number => turns.wantSlot + overload.requests;

/**
 * Lets the connection of a request of the API rest where that is of use. Call it when the request
 * has been answered. Connections of webhooks and health checks never rest, nor does one whose next
 * request would have to be refused: it is read at once, so that its caller knows at once.
 */
export const restAfter = (gateway: Gateway, req: IncomingMessage, res: ServerResponse): void => {
  if (requestsOf(gateway) < enough && resting.waiting === 0) return;
  answered.push({ gateway, req, res });
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(turn, gateway);
};

const turn = (gateway: Gateway): void => {
  isScheduled = false;
  // Node has begun to read for the next request by now; before, it would undo a pause.
  const candidates = answered;
  answered = [];
  for (const { gateway, req, res } of candidates) {
    forgetAnswered(req, res);
    if (mayRest(gateway, req, res)) rest(gateway, req.socket);
  }
  wake(gateway);
  if (resting.waiting === 0 || isScheduled) return;
  isScheduled = true;
  setTimeout(turn, lookEveryMs, gateway);
};

/** Reads connections again: as many as there is room for, and enough that none rests for long. */
const wake = (gateway: Gateway): void => {
  const nowMs = performance.now();
  owed += (resting.waiting * (nowMs - lastMs)) / longestMs;
  lastMs = nowMs;
  const least = Math.floor(owed);
  owed -= least;
  for (let left = Math.max(enough - requestsOf(gateway), least); left > 0; left -= 1) resting.next()?.item.resume();
};

const mayRest = (gateway: Gateway, req: IncomingMessage, res: ServerResponse): boolean =>
  res.writableFinished &&
  res.shouldKeepAlive &&
  !req.socket.destroyed &&
  // Nothing that was pipelined is under way.
  latestOn(req.socket) === undefined &&
  !gateway.draining &&
  gateway.isOfApi(req.url ?? "/");

const rest = ({ overload }: Gateway, socket: Socket): void => {
  const network = networkOf(clientAddress({ address: socket.remoteAddress ?? "unknown", headers: {} }, 0));
  const { ofAll, ofNetwork, networks } = waitingBefore(network);
  const before = {
    ofAll: ofAll + resting.waiting,
    ofNetwork: ofNetwork + resting.waitingOf(network),
    networks: Math.max(networks, resting.networks),
  };
  if (!overload.isSoon(network, before)) return;
  if (resting.waiting === 0) {
    lastMs = performance.now();
    owed = 0;
  }
  socket.pause();
  resting.add(network, socket);
};
