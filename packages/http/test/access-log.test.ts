import type { Telemetry } from "@postern/core";
import { describe, expect, test } from "vitest";
import { bearer, json, makeApp, serve, signUp, webhook } from "./support/serve.ts";

describe("the access log", () => {
  test("has one line for each request, with the template of its path", async () => {
    const { url, log } = await serve();
    const { id, token } = await signUp(url);
    const answers = [
      await fetch(`${url}/api/v2/users/${id}?fields=name`, { headers: bearer(token) }),
      await fetch(`${url}/api/nothing`),
      await fetch(`${url}/api/webhooks/acme`, await webhook("{}")),
      await fetch(`${url}/health/live`),
    ];
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    await log.reach(6);
    const common = { request_id: expect.any(String), address: "127.0.0.1", ms: expect.any(Number) };
    expect(log.lines.slice(2).map(({ level, fields }) => ({ level, ...fields }))).toEqual([
      {
        ...common,
        level: "info",
        method: "GET",
        route: "/api/users/{id}",
        version: "v2",
        status: 200,
        user: id,
        bytes: bodies[0]?.length,
      },
      {
        ...common,
        level: "info",
        method: "GET",
        route: "unmatched",
        version: "v1",
        status: 404,
        bytes: bodies[1]?.length,
      },
      {
        ...common,
        level: "info",
        method: "POST",
        route: "/api/webhooks/{provider}",
        version: "v1",
        status: 200,
        bytes: bodies[2]?.length,
        provider: "acme",
        event: expect.any(String),
        events: 1,
        result: "quarantined",
      },
      {
        ...common,
        level: "debug",
        method: "GET",
        route: "/health/live",
        version: undefined,
        status: 200,
        bytes: bodies[3]?.length,
      },
    ]);
    expect(log.lines.at(2)?.fields.request_id).toBe(answers[0]?.headers.get("x-request-id"));
  });

  test("holds nothing of paths, queries, headers and bodies", async () => {
    const marker = "planted-marker-0001";
    const { url, log, ports } = await serve();
    const { token } = await signUp(url);
    const headers = { ...bearer(`${token}${marker}`), cookie: marker, "x-marker": marker, "user-agent": marker };
    await fetch(`${url}/api/users/${marker}?fields=${marker}&${marker}=1`, { headers });
    await fetch(`${url}/api/users`, json({ [marker]: marker }, { headers: { "x-marker": marker } }));
    await fetch(`${url}/api/users`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `{"${marker}`,
    });
    await fetch(`${url}/api/users`, { method: "POST", headers: { "content-type": marker }, body: marker });
    await fetch(`${url}/api/webhooks/acme?${marker}`, await webhook(marker));
    await fetch(`${url}/${marker}`, { headers: { accept: marker } });
    await log.reach(8);
    const written = JSON.stringify([log.lines, ports.telemetry.entries], (_key, value: unknown) =>
      value instanceof Error ? `${value.stack}${String(value.cause)}` : value,
    );
    expect(written).not.toContain(marker);
    expect(written).not.toContain(token);
  });

  test("measures each request by route and status", async () => {
    const measured: unknown[] = [];
    const telemetry: Telemetry = {
      log: () => undefined,
      count: () => undefined,
      gauge: () => undefined,
      observe: (name, value, labels) => measured.push([name, value >= 0, labels]),
    };
    const { url } = await serve({ telemetry });
    await fetch(`${url}/api/v1/posts/1`);
    expect(measured).toEqual([["http_request_ms", true, { method: "GET", route: "/api/posts/{id}", status: "401" }]]);
  });
});

describe("a bug behind the door", () => {
  test("shows nothing of itself and ends no process", async () => {
    const made = makeApp();
    const broken = { ...made.app, receive: () => Promise.reject(new Error("at /srv/postern/src/secret.ts:1")) };
    const { url } = await serve({}, { ...made, app: broken });
    const answer = await fetch(`${url}/api/webhooks/acme`, await webhook("{}"));
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain("secret.ts");
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const second = await serve(
      {},
      { ...made, app: { ...made.app, receive: async () => ({ status: 200, body: circular }) } },
    );
    expect((await fetch(`${second.url}/api/webhooks/acme`, await webhook("{}"))).status).toBe(500);
  });
});
