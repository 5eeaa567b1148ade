import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { startNodes } from "./oauth-nodes.ts";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

/** Sends a GET from one of the addresses of this machine and returns the status. */
const get = async (url: string, localAddress: string, headers: Record<string, string | string[]>): Promise<number> => {
  const asking = request(url, { localAddress, headers, agent: false }).end();
  const [answer] = await once(asking, "response");
  answer.resume();
  return answer.statusCode;
};

/**
 * Adds the address of its caller as nginx does (one field), or as HAProxy does (a field of its
 * own).
 */
const added = {
  nginx: (headers: IncomingHttpHeaders, address: string) =>
    [headers["x-forwarded-for"] ?? [], address].flat().join(", "),
  HAProxy: (headers: IncomingHttpHeaders, address: string) => [headers["x-forwarded-for"] ?? [], address].flat(),
  "a gateway that adds the port": (headers: IncomingHttpHeaders, address: string) =>
    [headers["x-forwarded-for"] ?? [], `${address}:50123`].flat().join(", "),
  "a proxy that hides its callers": (headers: IncomingHttpHeaders) =>
    [headers["x-forwarded-for"] ?? [], "unknown"].flat().join(", "),
};

/** A reverse proxy on 127.0.0.1. */
const startProxy = async (target: string, add: (typeof added)[keyof typeof added]): Promise<string> => {
  const server = createServer((req, res) => {
    const headers = { ...req.headers, "x-forwarded-for": add(req.headers, req.socket.remoteAddress ?? "") };
    const passing = request(`${target}${req.url}`, { method: req.method, headers, agent: false }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    passing.on("error", () => res.destroy());
    req.pipe(passing);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(async () => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const admitted = "127.0.0.2";
const stranger = "127.0.0.3";

const start = async (variables: Record<string, string>) => {
  const nodes = await startNodes("SQLite", { variables });
  open.push(nodes.close);
  const sign = { email: "root@example.com", password: "nine loud violet kettles" };
  await nodes.run("users.create", { ...sign, name: "Root", role: "admin" });
  const made = await fetch(`${nodes.issuer}/api/v2/sessions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(sign),
  });
  const { access_token: token } = (await made.json()) as { access_token: string };
  /** Reads the audit log from the given address with the given headers. */
  const read = (base: string, from: string, headers: Record<string, string | string[]> = {}) =>
    get(`${base}/api/v2/admin/audit`, from, { authorization: `Bearer ${token}`, ...headers });
  return { issuer: nodes.issuer, read };
};

/** The headers with which a stranger claims another address. */
const forgeries: readonly Record<string, string | string[]>[] = [
  { "x-forwarded-for": admitted },
  { "x-forwarded-for": `${admitted}, ${admitted}, ${admitted}` },
  { "x-forwarded-for": [admitted, admitted] },
  { "x-forwarded-for": `::ffff:${admitted}` },
  { "x-real-ip": admitted, "x-client-ip": admitted, "true-client-ip": admitted, "cf-connecting-ip": admitted },
  { forwarded: `for=${admitted}` },
];

describe("POSTERN_ADMIN_ADDRESSES", () => {
  test.each(["nginx", "HAProxy", "a gateway that adds the port"] as const)(
    "admits callers whose address a trusted proxy saw, and none who only claim one (%s)",
    async (kind) => {
      // The address of the proxy is among those that may administer, as a whole private network
      // often is.
      const ranges = `127.0.0.1, ${admitted}/32`;
      const { issuer, read } = await start({ POSTERN_ADMIN_ADDRESSES: ranges, POSTERN_TRUST_PROXY: "1" });
      const proxy = await startProxy(issuer, added[kind]);
      expect(await read(proxy, admitted)).toBe(200);
      expect(await read(proxy, admitted, { "x-forwarded-for": stranger })).toBe(200);
      expect(await read(proxy, stranger)).toBe(403);
      for (const headers of forgeries) expect([headers, await read(proxy, stranger, headers)]).toEqual([headers, 403]);
      // Without the proxy, the address of the connection is that of the caller.
      expect([await read(issuer, "127.0.0.1"), await read(issuer, stranger)]).toEqual([200, 403]);
    },
  );

  test("admits no caller whose address the proxy does not report, although the proxy itself may administer", async () => {
    const { issuer, read } = await start({ POSTERN_ADMIN_ADDRESSES: "127.0.0.1", POSTERN_TRUST_PROXY: "1" });
    const proxy = await startProxy(issuer, added["a proxy that hides its callers"]);
    expect([await read(proxy, "127.0.0.1"), await read(proxy, stranger)]).toEqual([403, 403]);
  });

  test("counts the proxies from the right, and admits no caller that comes through fewer of them", async () => {
    const ranges = `127.0.0.1, ${admitted}`;
    const { issuer, read } = await start({ POSTERN_ADMIN_ADDRESSES: ranges, POSTERN_TRUST_PROXY: "2" });
    const inner = await startProxy(issuer, added.nginx);
    const outer = await startProxy(inner, added.nginx);
    expect([await read(outer, admitted), await read(outer, stranger)]).toEqual([200, 403]);
    for (const headers of forgeries) expect([headers, await read(outer, stranger, headers)]).toEqual([headers, 403]);
    expect(await read(inner, stranger)).toBe(403);
  });

  test("ignores the header without a trusted proxy", async () => {
    const { issuer, read } = await start({ POSTERN_ADMIN_ADDRESSES: admitted });
    expect(await read(issuer, admitted, { "x-forwarded-for": stranger })).toBe(200);
    for (const headers of forgeries) expect([headers, await read(issuer, stranger, headers)]).toEqual([headers, 403]);
  });
});
