import { allParts, builtInDeprecations, builtInVersions, createApp, type Part, type Settings } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import type { Deprecation } from "@postern/rest";
import { brokenPromises } from "@postern/rest/internal";
import { describe, expect, test } from "vitest";
import { documentOf, testApi } from "./api.ts";

const entry: Deprecation = {
  id: "old-list",
  target: { version: "v1", operation: "users.list" },
  announced: "2026-01-01",
  deprecated: "2026-02-01",
  sunset: "2026-09-01",
  replacement: { version: "v2", operation: "users.list" },
  reason: "It is a bare array.",
  migration: "Use v2.",
};
const field: Deprecation = {
  ...entry,
  id: "old-status",
  target: { version: "v1", resource: "user", field: "subscription_status" },
};
const parameter: Deprecation = {
  ...entry,
  id: "old-total",
  target: { version: "v2", operation: "posts.list", parameter: "total" },
};

const scene = async (deprecations: readonly Deprecation[], settings: Partial<Settings> = {}) => {
  const api = testApi({ deprecations, settings });
  const root = await api.admin();
  const day = async (date: string) => {
    const target = Date.parse(date);
    await api.ports.clock.advance(target - api.ports.clock.now());
    // Sessions have ended by then.
    const { body } = await api.call("POST", "/sessions", {
      body: { email: "admin@example.com", password: "correct horse battery" },
    });
    return body.access_token as string;
  };
  return { ...api, root, day };
};

describe("an answer", () => {
  test("that has or was asked for a deprecated field says so, wherever the field stands, and no other does", async () => {
    const { call, root, ports } = await scene([field]);
    const token = root.token;
    const v1 = { token, version: "v1" };
    const path = `/users/${root.id}`;
    const told = async (reply: ReturnType<typeof call>) => "deprecation" in (await reply).headers;
    expect(await told(call("GET", path, v1))).toBe(true);
    expect(await told(call("GET", `${path}?fields=name`, v1))).toBe(false);
    expect(await told(call("GET", path, { token }))).toBe(false);
    expect(await told(call("GET", `${path}?fields=name,subscription_status`, v1))).toBe(true);
    expect(await told(call("GET", "/users?fields=subscription_status", v1))).toBe(true);
    expect(await told(call("PATCH", path, { ...v1, body: { subscription_status: "active" } }))).toBe(true);
    expect(await told(call("GET", "/users?sort=subscription_status", v1))).toBe(true);
    expect(await told(call("GET", `${path}/posts?include=author&fields[users]=subscription_status`, v1))).toBe(true);
    const counted = (kind: string) =>
      ports.telemetry.counted("api_deprecated_requests_total", { deprecation: "old-status", kind });
    expect([counted("asked"), counted("sent")]).toEqual([5, 1]);
  });

  test("has the dates as structured fields and links to what to do", async () => {
    const { call, root } = await scene([field, entry]);
    const { headers } = await call("GET", "/users?fields=subscription_status", { token: root.token, version: "v1" });
    expect(headers.deprecation).toBe(`@${Date.parse("2026-02-01") / 1000}`);
    expect(headers.sunset).toBe("Tue, 01 Sep 2026 00:00:00 GMT");
    expect(headers.link).toContain('</api/v1/users?fields=subscription_status>; rel="first"');
    expect(headers.link).toContain('</api/deprecations/old-status>; rel="deprecation"; type="text/html"');
    expect(headers.link).toContain('</api/v2/users>; rel="successor-version"');
  });

  test("that is a refusal says so, too", async () => {
    const { call } = await scene([entry]);
    const { status, headers } = await call("GET", "/users", { version: "v1" });
    expect(status).toBe(401);
    expect(headers.sunset).toBeDefined();
  });

  test("of a deprecated version says so whatever was asked", async () => {
    const whole: Deprecation = { ...entry, id: "v1-ends", target: { version: "v1" } };
    const { call, root } = await scene([whole]);
    const reply = await call("GET", "/users/me", { token: root.token, version: "v1" });
    expect(reply.headers.link).toContain('</api/v2/users/me>; rel="successor-version"');
    expect((await call("GET", "/users/me", { token: root.token })).headers.deprecation).toBeUndefined();
  });
});

describe("the OpenAPI document", () => {
  test("marks what will go away, in its version alone, and describes the headers that tell of it", async () => {
    const { call } = await scene([entry, field, parameter]);
    const [v1, v2] = [await documentOf(call, "v1"), await documentOf(call, "v2")];
    const marks = {
      deprecated: true,
      "x-deprecated-at": "2026-02-01",
      "x-sunset": "2026-09-01",
      "x-replaced-by": "v2 users.list",
    };
    expect(v1.paths["/users"].get).toMatchObject({ ...marks, "x-deprecation": "/api/deprecations/old-list" });
    expect(v1.paths["/users/{id}"].get).not.toHaveProperty("deprecated");
    expect(v1.components.schemas.user.properties.subscription_status).toMatchObject(marks);
    expect(v1.components.schemas.user.properties.name).not.toHaveProperty("deprecated");
    const { get } = v1.paths["/users/{id}"];
    for (const response of [get.responses["200"], get.responses["401"], get.responses["410"]]) {
      expect(Object.keys(response.headers)).toEqual(expect.arrayContaining(["Deprecation", "Sunset", "Link"]));
    }
    expect(v1.paths["/comments/{id}"].delete.responses).not.toHaveProperty("410");

    const parameters: { name: string; deprecated?: boolean }[] = v2.paths["/users/{id}/posts"].get.parameters;
    expect(parameters.filter(({ deprecated }) => deprecated).map(({ name }) => name)).toEqual(["total"]);
    expect(JSON.stringify(v2.components.schemas)).not.toContain("deprecated");
    expect(v2.paths["/users"].get).not.toHaveProperty("deprecated");
  });

  test("marks every operation of a version that will go away", async () => {
    const { call } = await scene([{ ...entry, target: { version: "v1" }, replacement: { version: "v2" } }]);
    const { paths } = (await call("GET", "/openapi.json", { version: "v1" })).body;
    const operations = Object.values<Record<string, { deprecated?: boolean }>>(paths).flatMap(Object.values);
    expect(operations.every(({ deprecated }) => deprecated === true)).toBe(true);
  });
});

describe("after the sunset", () => {
  test("an operation is answered 410 with what takes its place, where that is enforced", async () => {
    const { call, day } = await scene([entry], { enforceSunsets: "on" });
    const token = await day("2026-09-01");
    const { status, body } = await call("GET", "/users", { token, version: "v1" });
    expect({ status, code: body.code }).toEqual({ status: 410, code: "endpoint_removed" });
    expect(body).toMatchObject({ replacement: entry.replacement, deprecation: "/api/deprecations/old-list" });
    expect((await call("GET", "/users", { token })).status).toBe(200);
  });

  test("it goes on where that is not enforced", async () => {
    const { call, day } = await scene([entry]);
    const token = await day("2026-09-02");
    expect((await call("GET", "/users", { token, version: "v1" })).status).toBe(200);
  });

  test("only requests that use the field or the parameter are refused", async () => {
    const { call, day, root } = await scene([field, parameter], { enforceSunsets: "on" });
    const token = await day("2026-09-02");
    const v1 = { token, version: "v1" };
    expect((await call("GET", `/users/${root.id}`, v1)).status).toBe(200);
    const { status, body } = await call("GET", `/users/${root.id}?fields=subscription_status`, v1);
    expect({ status, code: body.code }).toEqual({ status: 410, code: "feature_removed" });
    expect((await call("GET", "/users/me/posts?total=true", { token })).status).toBe(410);
    expect((await call("GET", "/users/me/posts", { token })).status).toBe(200);
  });

  test("a brown-out refuses for as long as it lasts, and says for how long", async () => {
    const brownOuts = [{ from: "2026-08-01T10:00:00Z", to: "2026-08-01T10:30:00Z" }];
    const { call, day } = await scene([{ ...entry, brownOuts }], { enforceSunsets: "on" });
    const before = await day("2026-08-01T09:59:00Z");
    expect((await call("GET", "/users", { token: before, version: "v1" })).status).toBe(200);
    const during = await day("2026-08-01T10:10:00Z");
    const refused = await call("GET", "/users", { token: during, version: "v1" });
    expect(refused.status).toBe(410);
    expect(refused.headers["retry-after"]).toBe("1200");
    const after = await day("2026-08-01T10:30:00Z");
    expect((await call("GET", "/users", { token: after, version: "v1" })).status).toBe(200);
  });
});

describe("who uses what is deprecated", () => {
  test("is counted in memory, stored in batches, and kept when the store fails", async () => {
    const { call, root, ports } = await scene([field]);
    const use = () => call("GET", "/users/me?fields=subscription_status", { token: root.token, version: "v1" });
    const sums = () => ports.deprecatedUses.sums({ since: "2000-01-01", limit: 10 });
    await use();
    await use();
    expect(await sums()).toEqual([]);
    const { add } = ports.deprecatedUses;
    ports.deprecatedUses.add = () => Promise.reject(new Error("no database"));
    await ports.clock.advance(10_000);
    ports.deprecatedUses.add = add;
    await use();
    await ports.clock.advance(10_000);
    expect(await sums()).toMatchObject([{ deprecation: "old-status", client: `user:${root.id}`, calls: 3 }]);
  });
});

describe("safe to remove", () => {
  const notice = Date.parse(field.sunset) - Date.parse(field.deprecated);
  const shownIn = async (api: Awaited<ReturnType<typeof scene>>, token: string, query = "") =>
    (await api.call("GET", `/admin/deprecations${query}`, { token })).body.data[0];

  test("is only what was watched for as long as its notice was, and not used meanwhile", async () => {
    const api = await scene([field]);
    const { ports, root, day } = api;
    const since = ports.clock.now();
    expect((await shownIn(api, root.token)).watched_since).toBe(new Date(since).toISOString());
    expect((await ports.deprecatedUses.watch([], since)).size).toBe(0);
    // The upkeep of each hour does this.
    await ports.deprecatedUses.watch([field.id], since);
    const first = await shownIn(api, root.token);
    const watched_since = new Date(since).toISOString();
    const safe_from = new Date(Math.max(Date.parse(field.sunset), since + notice)).toISOString();
    expect(first).toMatchObject({ safe_to_remove: false, watched_since, safe_from });
    const before = await day(new Date(Date.parse(safe_from) - 3_600_000).toISOString());
    expect(await shownIn(api, before)).toMatchObject({ calls: 0, safe_to_remove: false, watched_since, safe_from });
    const after = await day(safe_from);
    expect(await shownIn(api, after)).toMatchObject({ calls: 0, safe_to_remove: true });
    // A use of months ago counts, whatever time is asked for, and so does one that is not stored.
    await api.call("GET", "/users/me?fields=subscription_status", { token: after, version: "v1" });
    const { add } = ports.deprecatedUses;
    ports.deprecatedUses.add = () => Promise.reject(new Error("no database"));
    expect(await shownIn(api, after)).toMatchObject({ calls: 0, safe_to_remove: false });
    ports.deprecatedUses.add = add;
    const later = await day(new Date(Date.parse(safe_from) + 60 * 86_400_000).toISOString());
    expect(await shownIn(api, later, "?days=1")).toMatchObject({ calls: 0, safe_to_remove: false });
  });

  test("is not what a new database knows nothing of, however old its sunset is", async () => {
    const api = await scene([field]);
    const long = await api.day("2027-09-01");
    expect(await shownIn(api, long)).toMatchObject({ state: "sunset", safe_to_remove: false });
  });

  test("counts that are on their way to the store are waited for", async () => {
    const api = await scene([field]);
    const { ports, call, root } = api;
    await call("GET", "/users/me?fields=subscription_status", { token: root.token, version: "v1" });
    const { add } = ports.deprecatedUses;
    let store = (): void => undefined;
    const begun = new Promise<void>((begin) => {
      ports.deprecatedUses.add = async (uses) => {
        begin();
        await new Promise<void>((go) => {
          store = go;
        });
        return add(uses);
      };
    });
    const shown = shownIn(api, root.token);
    await begun;
    const beside = shownIn(api, root.token);
    store();
    expect((await shown).calls).toBe(1);
    expect((await beside).calls).toBe(1);
  });

  test("is only what nobody asks for and no answer holds; both are counted, by client and operation", async () => {
    const { call, user, root } = await scene([field]);
    const ada = await user("ada");
    const read = (target: string, headers = {}) => call("GET", target, { token: ada.token, version: "v1", headers });
    const shown = async () => (await call("GET", "/admin/deprecations", { token: root.token })).body.data[0];
    await read("/users/me?fields=name");
    expect(await shown()).toMatchObject({ calls: 0, safe_to_remove: false, clients: [] });

    const { headers } = await read("/users/me");
    expect(headers.link).toContain('</api/deprecations/old-status>; rel="deprecation"');
    await call("POST", "/users/me/posts", { token: ada.token, version: "v1", body: { title: "T", content: "t" } });
    await read("/users/me/posts?include=author");
    await read("/users/me", { "if-none-match": headers.etag });
    expect(await shown()).toMatchObject({ calls_asked: 0, calls_sent: 2, safe_to_remove: false });

    await read("/users/me?fields=subscription_status");
    const client = `user:${ada.id}`;
    const { clients, ...counted } = await shown();
    expect(counted).toMatchObject({ calls: 3, calls_asked: 1, calls_sent: 2, safe_to_remove: false });
    expect(clients).toHaveLength(3);
    expect(clients).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ client, operation: "users.read", kind: "sent", calls: 1 }),
        expect.objectContaining({ client, operation: "posts.list", kind: "sent", calls: 1 }),
        expect.objectContaining({ client, operation: "users.read", kind: "asked", calls: 1 }),
      ]),
    );
  });
});

describe("a registry is refused", () => {
  const made = (changes: Partial<Deprecation>) => () =>
    createApp({ ports: memoryPorts(), deprecations: [{ ...entry, ...changes }] });

  test.each([
    ["for less than 180 days of notice", { sunset: "2026-07-30" }, /at least 180 days/],
    ["for a deprecation before its announcement", { announced: "2026-02-02" }, /before it is announced/],
    ["for a day that is none", { sunset: "2026-13-01" }, /no day/],
    [
      "for an operation that is gone before its sunset",
      { target: { version: "v1", operation: "no.such" } },
      /not there/,
    ],
    ["for a field that is gone", { target: { version: "v2", resource: "post", field: "content" } }, /not there/],
    [
      "for a parameter that is gone",
      { target: { version: "v2", operation: "posts.list", parameter: "x" } },
      /not there/,
    ],
    [
      "for a brown-out before the deprecation",
      { brownOuts: [{ from: "2026-01-15T00:00:00Z", to: "2026-01-16T00:00:00Z" }] },
      /brown-out/,
    ],
  ] as const)("%s", (_what, changes, message) => {
    expect(made(changes)).toThrow(message);
  });

  test("when a version goes before its sunset", () => {
    const [, ...later] = builtInVersions;
    const versions = later.map((version, index) => (index === 0 ? { ...version, changes: [] } : version));
    expect(() => createApp({ ports: memoryPorts(), versions, deprecations: builtInDeprecations })).toThrow(/not there/);
  });

  test("that takes back a promise: an earlier date, or an entry that is gone too soon", () => {
    const now = Date.parse("2026-03-01");
    expect(brokenPromises([entry], [{ ...entry, sunset: "2026-08-31" }], now)).toHaveLength(1);
    expect(brokenPromises([entry], [{ ...entry, sunset: "2027-08-31" }], now)).toEqual([]);
    expect(brokenPromises([entry], [], now)).toHaveLength(1);
    expect(brokenPromises([entry], [], Date.parse("2026-09-01"))).toEqual([]);
  });
});

/** `createApp` leaves these checks out at each start, because of this test. */
describe.each([allParts, ["users", "inbox"], ["users", "posts"], ["users"], ["inbox"]] satisfies (readonly Part[])[])(
  "what is built in, with the parts %s %s %s",
  (...parts) => {
    test("has versions and deprecations that fit its operations", () => {
      // A table that is not the very same list is checked.
      const versions = [...builtInVersions];
      const app = createApp({ ports: memoryPorts(), parts, versions });
      expect(app.versions.map(({ id }) => id)).toEqual(["v1", "v2"]);
    });
  },
);
