import { createServer, type Server } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { buffer } from "node:stream/consumers";
import { fetcherContract, fetcherTarget, rejectsWith } from "@postern/core/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { nodeFetcher } from "../src/index.ts";
import { keeps } from "./keeps.ts";

let server: Server;
let origin: string;
let port: number;
let unreachable: string;
let served = 0;

const listen = (target: Server): Promise<number> =>
  new Promise((resolve) => {
    target.listen(0, "127.0.0.1", () => resolve((target.address() as AddressInfo).port)); // a TCP server has one
  });
const close = (target: Server): Promise<void> =>
  new Promise((resolve) => {
    target.close(() => resolve());
    target.closeAllConnections();
  });

beforeAll(async () => {
  server = createServer(async (request, response) => {
    served += 1;
    if (request.url === "/hang-up") return response.destroy();
    if (request.url === "/half") {
      response.writeHead(200, { "content-length": "100" }).write("half");
      return setImmediate(() => response.destroy());
    }
    if (request.url === "/endless") {
      response.writeHead(200);
      const more = (): void => {
        while (response.writable && !response.destroyed && response.write("x".repeat(65_536)));
        if (!response.destroyed) response.once("drain", more);
      };
      return more();
    }
    const answer = fetcherTarget[request.url ?? ""]?.({
      method: request.method === "POST" ? "POST" : "GET",
      headers: { "x-sent": String(request.headers["x-sent"] ?? "") },
      body: new Uint8Array(await buffer(request)),
    });
    if (answer === "never") return undefined;
    return response.writeHead(answer?.status ?? 404, answer?.headers).end(answer?.body);
  });
  port = await listen(server);
  origin = `http://127.0.0.1:${port}`;
  const closed = createServer();
  unreachable = `http://127.0.0.1:${await listen(closed)}/`;
  await close(closed);
});
afterAll(() => close(server));

keeps("nodeFetcher", fetcherContract, () => ({
  fetcher: nodeFetcher(),
  origin,
  unreachable,
  pass: async () => undefined,
}));

const get = (url: string) => ({ url, method: "GET", timeoutMs: 5_000 }) as const;
const getAnywhere = (url: string) => ({ ...get(url), allowPrivate: true });
/** Resolves every name to these addresses. */
const resolvesTo =
  (...addresses: readonly (readonly [string, 4 | 6])[]): LookupFunction =>
  (_hostname, options, callback) => {
    if (options.all === true)
      callback(
        null,
        addresses.map(([address, family]) => ({ address, family })),
      );
    else callback(null, addresses[0]?.[0] ?? "", addresses[0]?.[1]);
  };

describe("nodeFetcher", () => {
  test("refuses the loopback address unless the request allows it", async () => {
    const before = served;
    await rejectsWith("upstream_unreachable", () => nodeFetcher().fetch(get(`${origin}/hello`)));
    expect(served).toBe(before);
  });

  test.each([
    ["127.0.0.1", 4],
    ["10.1.2.3", 4],
    ["169.254.169.254", 4],
    ["::1", 6],
    ["::ffff:127.0.0.1", 6],
    ["fd00::1", 6],
    ["fe80::1", 6],
  ] as const)("refuses a name that resolves to %s", async (address, family) => {
    const before = served;
    const fetcher = nodeFetcher({ lookup: resolvesTo([address, family]) });
    const error = await rejectsWith("upstream_unreachable", () =>
      fetcher.fetch(get(`http://inside.example:${port}/hello`)),
    );
    expect(error.message).toContain("not a public address");
    expect(served).toBe(before);
  });

  test("refuses a name that resolves to a blocked address, even where private addresses are allowed", async () => {
    const fetcher = nodeFetcher({ lookup: resolvesTo(["127.0.0.1", 4]), blockAddresses: ["127.0.0.0/8"] });
    const error = await rejectsWith("upstream_unreachable", () =>
      fetcher.fetch(getAnywhere(`http://blocked.example:${port}/hello`)),
    );
    expect(error.message).toContain("must not be called");
  });

  test("refuses a name of which one address is not public", async () => {
    const fetcher = nodeFetcher({ lookup: resolvesTo(["93.184.215.14", 4], ["127.0.0.1", 4]) });
    const error = await rejectsWith("upstream_unreachable", () => fetcher.fetch(get(`http://mixed.example:${port}/`)));
    expect(error.message).toContain("not a public address");
  });

  test("asks for a name's addresses once and connects to what it checked", async () => {
    const asked: string[] = [];
    const lookup: LookupFunction = (hostname, options, callback) => {
      asked.push(hostname);
      resolvesTo(["127.0.0.1", 4])(hostname, options, callback);
    };
    const { status } = await nodeFetcher({ lookup }).fetch(getAnywhere(`http://twice.example:${port}/hello`));
    expect(status).toBe(200);
    expect(asked).toEqual(["twice.example"]);
  });

  test.each([
    "ftp://a.example/",
    "file:///etc/passwd",
    "http://user:pass@a.example/",
    "http://user@a.example/",
    "//a.example",
    "",
    "http://",
  ])("refuses the URL %j", async (url) => {
    await rejectsWith("upstream_unreachable", () => nodeFetcher().fetch(getAnywhere(url)));
  });

  test("says `upstream_unreachable` when the answer breaks off", async () => {
    const fetcher = nodeFetcher();
    for (const path of ["/hang-up", "/half"]) {
      await rejectsWith("upstream_unreachable", () => fetcher.fetch(getAnywhere(origin + path)));
    }
  });

  test("reads no more of an endless answer than asked", async () => {
    const answer = await nodeFetcher().fetch({
      ...getAnywhere(`${origin}/endless`),
      maxResponseBytes: 1_000,
    });
    expect(answer.body.length).toBe(1_000);
  });

  test("says `upstream_unreachable` for headers that cannot be sent", async () => {
    const request = { ...getAnywhere(`${origin}/hello`), headers: { "x-bad": "a\r\nb: c" } };
    await rejectsWith("upstream_unreachable", () => nodeFetcher().fetch(request));
  });

  test("leaves no connection behind", async () => {
    const fetcher = nodeFetcher();
    await fetcher.fetch(getAnywhere(`${origin}/hello`));
    await rejectsWith("upstream_timeout", () => fetcher.fetch({ ...getAnywhere(`${origin}/silent`), timeoutMs: 20 }));
    const open = (): Promise<number> =>
      new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
    // The server hears of closed connections in its own time.
    await vi.waitFor(async () => expect(await open()).toBe(0), { timeout: 10_000, interval: 10 });
  });
});
