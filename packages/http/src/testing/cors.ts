import assert from "node:assert/strict";
import { assertContains, assertMatches } from "./assertions.ts";
import { type Cases, eachOf } from "./cases.ts";

const origin = "https://app.example.com";

const preflight = (from: string) => ({
  method: "OPTIONS",
  headers: {
    origin: from,
    "access-control-request-method": "PATCH",
    "access-control-request-headers": "authorization",
  },
});

const corsOf = (answer: Response) => [...answer.headers].filter(([name]) => name.startsWith("access-control-"));

export const corsMessages: Cases = {
  "CORS: is off unless asked for": async (trial) => {
    const { url } = await trial.serve();
    for (const answer of [
      await trial.fetch(`${url}/api/users/me`, preflight(origin)),
      await trial.fetch(`${url}/api`, { headers: { origin } }),
    ]) {
      assert.deepEqual(corsOf(answer), []);
      assert.ok(!(answer.headers.get("vary") ?? "").includes("Origin"));
    }
  },
  "CORS: tells a listed origin what it may do": async (trial) => {
    const { url } = await trial.serve({ corsOrigins: [origin] });
    const answer = await trial.fetch(`${url}/api/users/me`, preflight(origin));
    assert.equal(answer.status, 204);
    assert.equal(answer.headers.get("access-control-allow-origin"), origin);
    const allowed = answer.headers.get("access-control-allow-methods")?.split(", ");
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) assertContains(allowed, method);
    assertContains(answer.headers.get("access-control-allow-headers"), "Authorization");
    assertMatches(answer.headers.get("vary"), /\bOrigin$/);
  },
  "CORS: allows the headers of tracing, and further ones that are set": async (trial) => {
    const { url } = await trial.serve({ corsOrigins: [origin], corsHeaders: ["X-My-App"] });
    const { headers } = await trial.fetch(`${url}/api/users/me`, preflight(origin));
    const allowed = headers.get("access-control-allow-headers")?.split(", ");
    for (const name of ["traceparent", "tracestate", "baggage", "X-My-App"]) assertContains(allowed, name);
    const answer = await trial.fetch(`${url}/api`, { headers: { origin } });
    const exposed = answer.headers.get("access-control-expose-headers")?.split(", ");
    for (const name of ["X-Total-Count", "Preference-Applied", "Content-Location", "Allow"]) {
      assertContains(exposed, name);
    }
  },
  "CORS: a wildcard stands for exactly one label": async (trial) => {
    const { url } = await trial.serve({ corsOrigins: ["https://*.example.com"] });
    const allowedFor = async (from: string) =>
      (await trial.fetch(`${url}/api`, { headers: { origin: from } })).headers.get("access-control-allow-origin");
    for (const listed of [origin, "https://preview-7.example.com"]) assert.equal(await allowedFor(listed), listed);
    for (const other of [
      "https://example.com",
      "https://a.b.example.com",
      "http://app.example.com",
      "https://app.example.com:8443",
      "https://evil-example.com",
      "https://app.example.com.evil.example",
      "https://*.example.com.evil.example",
    ]) {
      assert.equal(await allowedFor(other), null);
    }
  },
  "CORS: lets a listed origin read answers, errors included, and never sends cookies along": async (trial) => {
    const { url } = await trial.serve({ corsOrigins: [origin] });
    for (const path of ["/api", "/api/users/me", "/nowhere"]) {
      const { headers } = await trial.fetch(url + path, { headers: { origin } });
      assert.equal(headers.get("access-control-allow-origin"), origin);
      assertContains(headers.get("access-control-expose-headers"), "X-Request-Id");
      assert.equal(headers.has("access-control-allow-credentials"), false);
    }
  },
  ...eachOf(
    "CORS: tells %s nothing",
    ["https://app.example.com.evil.example", "http://app.example.com", "https://APP.example.com", "null"],
    async (trial, other) => {
      const { url } = await trial.serve({ corsOrigins: [origin] });
      for (const answer of [
        await trial.fetch(`${url}/api/users/me`, preflight(other)),
        await trial.fetch(`${url}/api`, { headers: { origin: other } }),
      ]) {
        assert.deepEqual(corsOf(answer), []);
        assertMatches(answer.headers.get("vary"), /\bOrigin$/);
      }
    },
  ),
};
