import { createGateway } from "@postern/http";
import { createGatewayServer, gatewayListener } from "@postern/http/node";
import { expect, test } from "vitest";
import { makeApp } from "../src/testing/app-under-test.ts";

test("a framework may answer requests of the API itself", async () => {
  const gateway = createGateway(makeApp().app);
  const server = createGatewayServer(gateway, {
    listener: (_req, res) => {
      setImmediate(() => res.end("answered by the framework"));
    },
  });
  const { url } = await server.listen();
  try {
    for (let n = 0; n < 10; n += 1) {
      const answer = await fetch(`${url}/api`);
      expect([answer.status, await answer.text()]).toEqual([200, "answered by the framework"]);
    }
  } finally {
    await server.close({ graceMs: 0 });
  }
});

test("a framework may mount Postern below a path, on a server that has admitted the request already", async () => {
  const gateway = createGateway(makeApp().app);
  const listener = gatewayListener(gateway);
  const server = createGatewayServer(gateway, {
    listener: (req, res) => {
      Object.assign(req, { originalUrl: req.url, url: (req.url ?? "").replace(/^\/mounted/, "") });
      void listener(req, res);
    },
  });
  const { url } = await server.listen();
  try {
    for (let n = 0; n < 10; n += 1) {
      const answer = await fetch(`${url}/mounted/`);
      expect(await answer.json()).toMatchObject({ api: "/mounted/api" });
      expect((await fetch(`${url}/mounted/api`)).status).toBe(200);
    }
    const [tooLong, sound] = await Promise.all([
      fetch(`${url}/mounted/api/v2/users`, {
        method: "POST",
        body: "x".repeat(2_000_000),
        headers: { "content-type": "application/json" },
      }),
      fetch(`${url}/mounted/api`),
    ]);
    expect([tooLong.status, sound.status]).toEqual([413, 200]);
  } finally {
    await server.close({ graceMs: 0 });
  }
});
