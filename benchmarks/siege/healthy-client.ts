import { createHmac, randomUUID } from "node:crypto";
import { Agent } from "node:http";
import { Agent as AgentOverTls } from "node:https";
import type { Account } from "./attack.ts";
import { type Place, type Reply, type Sent, send } from "./send.ts";
import { githubSecret } from "./server.ts";

export const healthyAddress = "127.0.0.100";

/**
 * What a client saw that does nothing wrong. Times are in milliseconds. A request without an answer
 * counts with the time that it waited.
 */
export interface Experience {
  readonly sent: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  /** Answered 429 or 5xx, cut, or not answered within 10 s. */
  readonly refused: number;
  /** How often each refusal came, e.g. `503`; `0` is a request without an answer. */
  readonly refusals: ReadonlyMap<number, number>;
  /** The texts of the refusals, each once, with the request. */
  readonly said: readonly string[];
}

/**
 * This stays below the default limits of an address (3,000 a minute) and, shared by four accounts,
 * of an account (600 a minute and as many at once).
 */
const perSecond = 40;

/** A webhook of 1 KiB that its sender has signed. */
export const signedEvent = (): Required<Pick<Sent, "headers" | "body">> => {
  const body = JSON.stringify({ id: randomUUID(), padding: "x".repeat(900) });
  return {
    body,
    headers: {
      "x-hub-signature-256": `sha256=${createHmac("sha256", githubSecret).update(body).digest("hex")}`,
      "x-github-delivery": randomUUID(),
      "x-github-event": "push",
    },
  };
};

/**
 * The requests, in turn: reads, a list, a write, and a signed webhook on a connection of its own.
 */
const requestOf = (turn: number, { id, authorization }: Account): Omit<Sent, "port" | "ca" | "from" | "agent"> => {
  const headers = { authorization };
  switch (turn % 4) {
    case 0:
      return { method: "GET", path: "/api/v2/users/me", headers };
    case 1:
      return { method: "GET", path: `/api/v2/users/${id}/posts?limit=10`, headers };
    case 2:
      return {
        method: "POST",
        path: `/api/v2/users/${id}/posts`,
        headers,
        body: JSON.stringify({ title: `Post ${turn}`, body: "Some words." }),
      };
    default:
      return { method: "POST", path: "/api/webhooks/github", ...signedEvent() };
  }
};

const isRefused = (status: number): boolean => status === 0 || status === 429 || status >= 500;

/**
 * A client at 127.0.0.100. It sends 40 requests a second until it is stopped, whatever the answers
 * are, half of them on new connections. Times count from the moment at which a request was due, so
 * they include the wait before it is sent.
 */
export const startHealthyClient = (place: Place, accounts: readonly Account[]): { stop(): Promise<Experience> } => {
  const agent = new (place.ca === undefined ? Agent : AgentOverTls)({ keepAlive: true, maxSockets: 8 });
  const startedAt = performance.now();
  const pending: Promise<Lived>[] = [];
  const sendDue = (): void => {
    while (pending.length < ((performance.now() - startedAt) * perSecond) / 1000) {
      const turn = pending.length;
      const dueAt = startedAt + (turn * 1000) / perSecond;
      const account = accounts[Math.floor(turn / 4) % accounts.length];
      if (account === undefined) throw new Error("the healthy client needs an account");
      const keep = turn % 4 < 2 ? { agent } : {};
      const asked = requestOf(turn, account);
      const reply = send({ ...place, from: healthyAddress, ...asked, ...keep });
      pending.push(
        reply.then(({ status, text }: Reply) => {
          const said = isRefused(status) ? `${asked.method} ${status} ${detailIn(text)}` : "";
          return { status, said, ms: performance.now() - dueAt };
        }),
      );
    }
  };
  const timer = setInterval(sendDue, 5);
  return {
    stop: async () => {
      clearInterval(timer);
      const replies = await Promise.all(pending);
      agent.destroy();
      return experienceOf(replies);
    },
  };
};

interface Lived {
  readonly status: number;
  readonly ms: number;
  /** The text of a refusal; empty for an answer. */
  readonly said: string;
}

/** The sentence of a problem document that says what went wrong. */
const detailIn = (text: string): string => /"detail":"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 200);

const experienceOf = (replies: readonly Lived[]): Experience => {
  const times = replies.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  const refusals = new Map<number, number>();
  for (const { status } of replies) if (isRefused(status)) refusals.set(status, (refusals.get(status) ?? 0) + 1);
  return {
    sent: replies.length,
    p50: at(0.5),
    p99: at(0.99),
    worst: times.at(-1) ?? 0,
    refused: [...refusals.values()].reduce((sum, times) => sum + times, 0),
    refusals,
    said: [...new Set(replies.map(({ said }) => said))].filter((text) => text !== ""),
  };
};
