import { describe, expect, test } from "vitest";
import { createHttpServer } from "../src/node/index.ts";
import { makeApp, serve } from "./support/serve.ts";

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

describe("CORS", () => {
  test("is off unless asked for", async () => {
    const { url } = await serve();
    for (const answer of [
      await fetch(`${url}/api/users/me`, preflight(origin)),
      await fetch(`${url}/api`, { headers: { origin } }),
    ]) {
      expect(corsOf(answer)).toEqual([]);
      expect(answer.headers.get("vary") ?? "").not.toContain("Origin");
    }
  });

  test("tells a listed origin what it may do", async () => {
    const { url } = await serve({ corsOrigins: [origin] });
    const answer = await fetch(`${url}/api/users/me`, preflight(origin));
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("access-control-allow-methods")?.split(", ")).toEqual(
      expect.arrayContaining(["GET", "PUT", "PATCH", "DELETE"]),
    );
    expect(answer.headers.get("access-control-allow-headers")).toContain("Authorization");
    expect(answer.headers.get("vary")).toMatch(/\bOrigin$/);
  });

  test("lets a listed origin read answers, errors included, and never sends cookies along", async () => {
    const { url } = await serve({ corsOrigins: [origin] });
    for (const path of ["/api", "/api/users/me", "/nowhere"]) {
      const { headers } = await fetch(url + path, { headers: { origin } });
      expect(headers.get("access-control-allow-origin")).toBe(origin);
      expect(headers.get("access-control-expose-headers")).toContain("X-Request-Id");
      expect(headers.has("access-control-allow-credentials")).toBe(false);
    }
  });

  test.each(["https://app.example.com.evil.example", "http://app.example.com", "https://APP.example.com", "null"])(
    "tells %s nothing",
    async (other) => {
      const { url } = await serve({ corsOrigins: [origin] });
      for (const answer of [
        await fetch(`${url}/api/users/me`, preflight(other)),
        await fetch(`${url}/api`, { headers: { origin: other } }),
      ]) {
        expect(corsOf(answer)).toEqual([]);
        expect(answer.headers.get("vary")).toMatch(/\bOrigin$/);
      }
    },
  );

  test.each([
    "*",
    "null",
    "https://app.example.com/",
    "https://App.example.com",
    "app.example.com",
    "https://a.com:443",
  ])("refuses %s as an origin before it starts", (value) => {
    expect(() => createHttpServer(makeApp().app, { corsOrigins: [value] })).toThrow(/corsOrigins/);
  });
});
