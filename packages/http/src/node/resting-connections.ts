import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createFairQueue } from "@postern/core/parts";
import { networkOf } from "@postern/rest";
import { clientAddress } from "../client-address.ts";
import type { Gateway } from "../gateway.ts";
import { forgetAnswered, latestOn } from "./connections.ts";
import { turns } from "./fair-turns.ts";

/**
 * Lets connections rest, which means that they are not read for a moment. While more requests wait
 * than one turn of the event loop can begin, each connection whose request has been answered rests
 * before it is read again. Networks take turns. Its next request waits in the system meanwhile,
 * where it costs nothing. In this process it would cost as much memory as a request that is being
 * answered, which the garbage collector would have to move again and again.
 */

/** Connections rest while the process has at least this many requests, which keep it busy. */
const enough = 64;
/**
 * All connections that rest now are read again within about this time, however many requests there
 * are.
 */
const longestMs = 100;
/** While nothing is answered, room is checked this often. */
const lookEveryMs = 1;

const resting = createFairQueue<Socket>();
let answered: { readonly gateway: Gateway; readonly req: IncomingMessage; readonly res: ServerResponse }[] = [];
let isScheduled = false;
let lastMs = 0;
/** How many connections must be read again because they have rested for long. Can be a fraction. */
let owed = 0;

/** How many requests the process has taken in and not answered yet. */
const requestsOf = ({ overload }: Gateway): number => turns.wantSlot + overload.requests;

/**
 * Lets the connection of an API request rest if that helps. Call it when the request has been
 * answered. Connections of webhooks and health checks never rest, nor do those of a network that
 * makes little work: others keep the process busy, so they rest. A connection also does not rest if
 * its next request would have to be refused, so that its caller learns of the refusal at once.
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
  // By now Node has begun to read for the next request. Earlier, that would have undone a pause.
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
  // No pipelined request is under way.
  latestOn(req.socket) === undefined &&
  !gateway.draining &&
  gateway.isOfApi(req.url ?? "/");

const rest = ({ overload }: Gateway, socket: Socket): void => {
  const network = networkOf(clientAddress({ address: socket.remoteAddress ?? "unknown", headers: {} }, 0));
  if (overload.makesLittle(network)) return;
  if (!overload.mayWait(network)) return;
  if (resting.waiting === 0) {
    lastMs = performance.now();
    owed = 0;
  }
  socket.pause();
  resting.add(network, socket);
};
