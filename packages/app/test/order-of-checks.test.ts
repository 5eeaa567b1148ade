import { defaultLimits } from "@postern/rest";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

/**
 * A PATCH in which everything is wrong. The entries are in the order in which the faults are found;
 * faults that an adapter finds earlier are in its own tests. Each entry mends one thing, so that
 * the next fault is found.
 */
const scene = async () => {
  const settings = {
    limits: { ...defaultLimits, address: { limit: 40, windowMs: 60_000 }, default: { limit: 8, windowMs: 60_000 } },
  };
  const api = testApi({ settings });
  const ada = await api.user("ada");
  const bob = await api.user("bob");
  const made = await api.call("POST", "/users/me/posts", { token: ada.token, body: { title: "T", body: "B" } });
  const path = `/posts/${made.body.id}`;
  await api.call("PATCH", path, { token: ada.token, body: { status: "published" } });
  const used = { "idempotency-key": "used" };
  const kept = await api.call("PATCH", path, { token: ada.token, body: { title: "U" }, headers: used });
  expect(kept.status).toBe(200);
  return { api, ada, bob, path };
};

type Scene = Awaited<ReturnType<typeof scene>>;
type Try = (scene: Scene) => ReturnType<Scene["api"]["call"]>;

const missing = "/posts/01900000-0000-7000-8000-000000000000";
const stale = { "if-match": '"1.x"' };
const draft = { status: "draft" };

const usedUp = async ({ api }: Scene, who: { token: string }): Promise<void> => {
  for (let n = 0; n < 10; n += 1) await api.call("GET", "/users/me", { token: who.token, address: "203.0.113.9" });
};

describe("of two things that are wrong, the earlier one is told", () => {
  test.each<[string, number, string, Try]>([
    [
      "the address's limit before the credential",
      429,
      "rate_limited",
      async ({ api, path }) => {
        for (let n = 0; n < 40; n += 1) await api.call("GET", "/", { address: "203.0.113.1" });
        return api.call("PATCH", path, { token: "forged", body: {}, address: "203.0.113.1" });
      },
    ],
    [
      "the credential before the principal's limit",
      401,
      "invalid_token",
      async (all) => {
        await usedUp(all, all.ada);
        await all.api.call("DELETE", "/sessions/current", { token: all.ada.token, address: "203.0.113.2" });
        return all.api.call("PATCH", all.path, { token: "forged", body: {}, address: "203.0.113.3" });
      },
    ],
    [
      "the principal's limit before the role",
      429,
      "rate_limited",
      async (all) => {
        await usedUp(all, all.bob);
        return all.api.call("GET", "/admin/audit", { token: all.bob.token });
      },
    ],
    [
      "the role before the syntax",
      403,
      "forbidden",
      ({ api, bob }) => api.call("GET", "/admin/audit?x=1", { token: bob.token }),
    ],
    [
      "the syntax of the query before existence",
      400,
      "unknown_parameter",
      ({ api, bob }) => api.call("PATCH", `${missing}?x=1`, { token: bob.token, body: {} }),
    ],
    [
      "the syntax of headers before existence",
      400,
      "malformed_header",
      ({ api, bob }) => api.call("PATCH", missing, { token: bob.token, body: {}, headers: { "if-match": "x" } }),
    ],
    [
      "the syntax of the body before existence",
      400,
      "invalid_json",
      ({ api, bob }) => api.call("POST", "/users/01900000-0000-7000-8000-000000000000/posts", { token: bob.token }),
    ],
    [
      "existence before ownership and idempotency",
      404,
      "not_found",
      ({ api, ada }) =>
        api.call("PATCH", missing, { token: ada.token, body: {}, headers: { "idempotency-key": "used" } }),
    ],
    [
      "ownership before idempotency and preconditions",
      403,
      "forbidden",
      ({ api, bob, path }) =>
        api.call("PATCH", path, { token: bob.token, body: {}, headers: { "idempotency-key": "used", ...stale } }),
    ],
    [
      "idempotency before preconditions",
      422,
      "idempotency_key_reused",
      ({ api, ada, path }) =>
        api.call("PATCH", path, { token: ada.token, body: draft, headers: { "idempotency-key": "used", ...stale } }),
    ],
    [
      "preconditions before business rules",
      412,
      "precondition_failed",
      ({ api, ada, path }) => api.call("PATCH", path, { token: ada.token, body: draft, headers: stale }),
    ],
    [
      "business rules before the write",
      409,
      "state_conflict",
      ({ api, ada, path }) => api.call("PATCH", path, { token: ada.token, body: draft }),
    ],
  ])("%s", async (_what, status, code, attempt) => {
    const reply = await attempt(await scene());
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  });
});
