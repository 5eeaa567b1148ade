import assert from "node:assert/strict";
import type { Fetcher, InboundResponse, OutboundRequest } from "../ports/fetcher.ts";
import type { Contract } from "./contract.ts";
import { rejectsWith } from "./rejects-with.ts";

export interface FetcherSubject {
  readonly fetcher: Fetcher;
  /** `http://host:port`, where each path of `fetcherTarget` answers as declared there. */
  readonly origin: string;
  /** A URL at which nothing listens. */
  readonly unreachable: string;
  /** Lets the fetcher's time pass: `advance` for a virtual clock, nothing for real time. */
  pass(ms: number): Promise<void>;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * The host that the contract needs, by path. `never` does not answer. A test serves it over HTTP or
 * passes it to `memoryFetcher`.
 */
export const fetcherTarget: Readonly<
  Record<string, (request: Pick<OutboundRequest, "method" | "headers" | "body">) => InboundResponse | "never">
> = {
  "/hello": () => ({
    status: 200,
    headers: { "content-type": "text/plain", "x-mixed-case": "Kept" },
    body: bytes("hello"),
  }),
  "/echo": ({ method, headers = {}, body = new Uint8Array() }) => ({
    status: 201,
    headers: { "x-method": method, "x-sent": headers["x-sent"] ?? "" },
    body,
  }),
  "/broken": () => ({ status: 500, headers: {}, body: bytes("it broke") }),
  "/empty": () => ({ status: 204, headers: {}, body: bytes("") }),
  "/away": () => ({ status: 302, headers: { location: "/hello" }, body: bytes("") }),
  "/large": () => ({ status: 200, headers: {}, body: new Uint8Array(200_000).fill(120) }),
  "/silent": () => "never",
};

const get = (url: string): OutboundRequest => ({ url, method: "GET", timeoutMs: 5_000, allowPrivate: true });

export const fetcherContract: Contract<FetcherSubject> = {
  "answers status, headers in lower case and body": async ({ fetcher, origin }) => {
    const { status, headers, body } = await fetcher.fetch(get(`${origin}/hello`));
    assert.equal(status, 200);
    assert.equal(headers["x-mixed-case"], "Kept");
    assert.deepEqual(Buffer.from(body).toString(), "hello");
  },
  "sends method, headers and the body's exact bytes": async ({ fetcher, origin }) => {
    const body = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const answer = await fetcher.fetch({
      ...get(`${origin}/echo`),
      method: "POST",
      headers: { "x-sent": "yes" },
      body,
    });
    assert.equal(answer.status, 201);
    assert.equal(answer.headers["x-method"], "POST");
    assert.equal(answer.headers["x-sent"], "yes");
    assert.deepEqual([...answer.body], [...body]);
  },
  "takes any status for an answer": async ({ fetcher, origin }) => {
    assert.equal((await fetcher.fetch(get(`${origin}/broken`))).status, 500);
    const empty = await fetcher.fetch(get(`${origin}/empty`));
    assert.equal(empty.status, 204);
    assert.equal(empty.body.length, 0);
  },
  "does not follow redirects": async ({ fetcher, origin }) => {
    const { status, headers } = await fetcher.fetch(get(`${origin}/away`));
    assert.equal(status, 302);
    assert.equal(headers.location, "/hello");
  },
  "cuts the body at 64 KiB, or where told": async ({ fetcher, origin }) => {
    assert.equal((await fetcher.fetch(get(`${origin}/large`))).body.length, 65_536);
    const told = await fetcher.fetch({ ...get(`${origin}/large`), maxResponseBytes: 100 });
    assert.equal(told.body.length, 100);
    const whole = await fetcher.fetch({ ...get(`${origin}/large`), maxResponseBytes: 1_000_000 });
    assert.equal(whole.body.length, 200_000);
  },
  "says `upstream_timeout` when the time is over": async ({ fetcher, origin, pass }) => {
    const refused = rejectsWith("upstream_timeout", () => fetcher.fetch({ ...get(`${origin}/silent`), timeoutMs: 50 }));
    await pass(50);
    await refused;
  },
  "says `upstream_unreachable` when nothing listens": async ({ fetcher, unreachable }) => {
    await rejectsWith("upstream_unreachable", () => fetcher.fetch(get(unreachable)));
  },
  "stops with `upstream_unreachable` when the signal is aborted": async ({ fetcher, origin }) => {
    const during = new AbortController();
    const stopped = rejectsWith("upstream_unreachable", () =>
      fetcher.fetch({ ...get(`${origin}/silent`), signal: during.signal }),
    );
    during.abort();
    await stopped;
    await rejectsWith("upstream_unreachable", () =>
      fetcher.fetch({ ...get(`${origin}/hello`), signal: during.signal }),
    );
  },
};
