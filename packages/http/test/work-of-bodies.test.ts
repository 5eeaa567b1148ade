import { request } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { createGateway } from "../src/gateway.ts";
import { createGatewayServer } from "../src/node/create-http-server.ts";
import { makeApp } from "../src/testing/app-under-test.ts";

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const heavy = "10.0.0.1";
const light = "10.0.0.2";

/** A server behind a proxy, which names the networks of its callers. */
const scene = async () => {
  const gateway = createGateway(makeApp().app, { trustProxy: 1, webhookLimitBytes: 512 * 1024 });
  const server = createGatewayServer(gateway);
  const { port } = await server.listen();
  ends.push(() => server.close({ graceMs: 0 }));
  const post = (network: string, path: string, pieces: readonly string[]): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = {
        "x-forwarded-for": network,
        "content-type": "application/json",
        "transfer-encoding": "chunked",
      };
      const req = request({ port, method: "POST", path, headers, agent: false }, (res) => {
        res.resume().once("end", () => resolve(res.statusCode ?? 0));
      });
      req.on("error", reject);
      for (const piece of pieces) req.write(piece);
      req.end();
    });
  return { gateway, post };
};

describe("the bytes of a body in chunks count as work of its network", () => {
  test("for a request of the API", async () => {
    const { gateway, post } = await scene();
    const text = "x".repeat(40_000);
    expect(await post(heavy, "/api/v2/users", ['{"name":"', text, text, text, '"}'])).toBe(400);
    expect(await post(light, "/api/v2/users", ["{}"])).toBe(400);
    expect(gateway.overload.makesLittle(light)).toBe(true);
    expect(gateway.overload.makesLittle(heavy)).toBe(false);
  });

  test("for a request that is refused before its body has come", async () => {
    const { gateway, post } = await scene();
    // It has more values than it may have long before its end.
    const values = '"some words, some words",'.repeat(10_000);
    await post(heavy, "/api/v2/users", ["[", values, values, "0]"]).catch(() => 0);
    expect(await post(light, "/api/v2/users", ["{}"])).toBe(400);
    expect(gateway.overload.makesLittle(light)).toBe(true);
  });

  test("for a webhook that is longer than it may be", async () => {
    const { gateway, post } = await scene();
    const piece = "x".repeat(64 * 1024);
    await post(
      heavy,
      "/api/webhooks/github",
      Array.from({ length: 40 }, () => piece),
    ).catch(() => 0);
    await post(light, "/api/webhooks/github", ["{}"]);
    expect(gateway.overload.makesLittle(light)).toBe(true);
  });
});
