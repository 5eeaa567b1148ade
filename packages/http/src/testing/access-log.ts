import assert from "node:assert/strict";
import type { Telemetry } from "@postern/core/ports";
import { bearer, json, makeApp, signUp, webhook } from "./app-under-test.ts";
import { assertMatches } from "./assertions.ts";
import type { Cases } from "./cases.ts";

export const accessLogMessages: Cases = {
  "the access log: has one line for each request, with the template of its path": async (trial) => {
    const { url, log } = await trial.serve();
    const { id, token } = await signUp(trial, url);
    const answers = [
      await trial.fetch(`${url}/api/v2/users/${id}?fields=name`, { headers: bearer(token) }),
      await trial.fetch(`${url}/api/nothing`),
      await trial.fetch(`${url}/api/webhooks/acme`, await webhook("{}")),
      await trial.fetch(`${url}/health/live`),
    ];
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    await log.reach(6);
    const common = { request_id: String, address: "127.0.0.1", ms: Number };
    assertMatches(
      log.lines.slice(2).map(({ level, fields }) => ({ level, ...fields })),
      [
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
          event: String,
          events: 1,
          result: "ignored",
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
      ],
    );
    assert.equal(log.lines.at(2)?.fields.request_id, answers[0]?.headers.get("x-request-id"));
  },
  "the access log: contains nothing of paths, queries, headers and bodies": async (trial) => {
    const marker = "planted-marker-0001";
    const { url, log, ports } = await trial.serve();
    const { token } = await signUp(trial, url);
    const headers = { ...bearer(`${token}${marker}`), cookie: marker, "x-marker": marker, "user-agent": marker };
    await trial.fetch(`${url}/api/users/${marker}?fields=${marker}&${marker}=1`, { headers });
    await trial.fetch(`${url}/api/users`, json({ [marker]: marker }, { headers: { "x-marker": marker } }));
    await trial.fetch(`${url}/api/users`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `{"${marker}`,
    });
    await trial.fetch(`${url}/api/users`, { method: "POST", headers: { "content-type": marker }, body: marker });
    await trial.fetch(`${url}/api/webhooks/acme?${marker}`, await webhook(marker));
    await trial.fetch(`${url}/${marker}`, { headers: { accept: marker } });
    await log.reach(8);
    const written = JSON.stringify([log.lines, ports.telemetry.entries], (_key, value: unknown) =>
      value instanceof Error ? `${value.stack}${String(value.cause)}` : value,
    );
    assert.ok(!written.includes(marker));
    assert.ok(!written.includes(token));
  },
  "the access log: measures each request by route and status": async (trial) => {
    const measured: unknown[] = [];
    const telemetry: Telemetry = {
      log: () => undefined,
      count: () => undefined,
      gauge: () => undefined,
      observe: (name, value, labels) => measured.push([name, value >= 0, labels]),
    };
    const { url } = await trial.serve({ telemetry });
    await trial.fetch(`${url}/api/v1/posts/1`);
    assert.deepEqual(measured, [["http_request_ms", true, { method: "GET", route: "/api/posts/{id}", status: "401" }]]);
  },
  "a bug in the application: reveals nothing about itself and ends no process": async (trial) => {
    const made = makeApp();
    const broken = { ...made.app, receive: () => Promise.reject(new Error("at /srv/postern/src/secret.ts:1")) };
    const { url } = await trial.serve({}, { ...made, app: broken });
    const answer = await trial.fetch(`${url}/api/webhooks/acme`, await webhook("{}"));
    assert.equal(answer.status, 500);
    assert.doesNotMatch(await answer.text(), /secret\.ts/);
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const second = await trial.serve(
      {},
      { ...made, app: { ...made.app, receive: async () => ({ status: 200, body: circular, done: "stored" }) } },
    );
    assert.equal((await trial.fetch(`${second.url}/api/webhooks/acme`, await webhook("{}"))).status, 500);
  },
};
