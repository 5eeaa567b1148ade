import { defineProvider } from "@postern/inbox";
import { createVerifier } from "@postern/webhook-verifier";
import { github } from "@postern/webhook-verifier/schemes/github";
import { stripe } from "@postern/webhook-verifier/schemes/stripe";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const keys = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** Five events, five jobs and two senders, and an administrator who looks at them. */
const scene = async () => {
  const providers = [stripe, github].map((scheme) =>
    defineProvider({ name: scheme.name, verifier: createVerifier(scheme, { keys }) }),
  );
  const api = testApi({ settings: { rateLimits: "off" }, providers });
  const { storage, clock } = api.ports;
  const root = await api.admin();
  for (const n of [1, 2, 3, 4, 5]) {
    await storage.events.accept([
      {
        provider: n % 2 === 0 ? "github" : "stripe",
        dedupeKey: `key_${n}`,
        eventId: `evt_${n}`,
        type: "paid",
        body: new Uint8Array(),
        headers: {},
        bodySha256: "0".repeat(64),
        occurredAt: undefined,
        receivedAt: clock.now() + n,
        disposition: n === 5 ? "ignored" : "accepted",
        reason: undefined,
        jobs: n === 5 ? [] : [{ kind: `handler-${n % 2}`, maxAttempts: 1 }],
      },
    ]);
  }
  const get = (target: string, version = "v2") => api.call("GET", target, { token: root.token, version });
  /** What one member is in each item of a list. */
  const each = async (target: string, member: string, version = "v2") => {
    const { status, body } = await get(target, version);
    expect([target, status, body.code]).toEqual([target, 200, undefined]);
    const data: readonly Record<string, unknown>[] = version === "v1" ? body : body.data;
    return data.map((item) => item[member]);
  };
  return { ...api, root, get, each };
};

describe.each([
  ["/admin/events", "id"],
  ["/admin/jobs", "id"],
  ["/admin/audit", "id"],
  ["/admin/providers", "name"],
])("%s", (list, key) => {
  test("is paged in both directions and both orders", async () => {
    const { get, each } = await scene();
    const whole = await each(`${list}?limit=100`, key);
    expect(whole.length).toBeGreaterThan(1);
    const other = key === "name" ? "-name" : "id";
    expect(await each(`${list}?limit=100&sort=${other}`, key)).toEqual(whole.toReversed());
    for (const [sort, expected] of [
      ["", whole],
      [`&sort=${other}`, whole.toReversed()],
    ] as const) {
      const seen: unknown[] = [];
      let page = (await get(`${list}?limit=1${sort}`)).body;
      expect(page.page).toMatchObject({ limit: 1, has_more: true, prev_cursor: null });
      for (;;) {
        seen.push(page.data[0][key]);
        if (page.page.next_cursor === null) break;
        page = (await get(`${list}?limit=1${sort}&cursor=${page.page.next_cursor}`)).body;
      }
      expect(seen).toEqual(expected);
      const before = (await get(`${list}?limit=1${sort}&cursor=${page.page.prev_cursor}`)).body;
      expect(before.data[0][key]).toBe(expected.at(-2));
    }
  });

  test("says how many there are, and answers the named members alone", async () => {
    const { get, each } = await scene();
    const whole = await each(`${list}?limit=100`, key);
    const { body } = await get(`${list}?limit=1&total=true&fields=${key}`);
    expect(body.page).toMatchObject({ total: whole.length, total_is_exact: true });
    expect(body.data).toEqual([{ [key]: whole[0] }]);
    expect((await get(`${list}?fields=nothing`)).body).toMatchObject({ code: "invalid_fields" });
    expect((await get(`${list}?sort=state`)).status).toBe(400);
    expect((await get(`${list}?filter[nothing]=1`)).status).toBe(400);
  });

  test("takes cursors of the same question alone", async () => {
    const { get } = await scene();
    const { next_cursor: cursor } = (await get(`${list}?limit=1`)).body.page;
    expect((await get(`${list}?limit=1&sort=${key}&cursor=${cursor}`)).status).toBe(key === "name" ? 200 : 400);
    expect((await get(`${list}?limit=1&sort=-${key}&cursor=${cursor}`)).status).toBe(key === "name" ? 400 : 200);
    expect((await get(`/admin/queues?cursor=${cursor}`)).status).toBe(400);
  });
});

test("a page that has become empty leads back to the items before it", async () => {
  const { get, call, root } = await scene();
  const list = "/admin/jobs?filter[state]=ready&sort=id";
  const { data, page } = (await get(`${list}&limit=3`)).body;
  const [last] = (await get(`${list}&cursor=${page.next_cursor}`)).body.data;
  await call("POST", `/admin/jobs/${last.id}/cancel`, { token: root.token });
  const empty = (await get(`${list}&limit=3&cursor=${page.next_cursor}`)).body;
  expect(empty).toMatchObject({ data: [], page: { has_more: false, next_cursor: null } });
  const back = (await get(`${list}&limit=3&cursor=${empty.page.prev_cursor}`)).body;
  expect(back.data).toEqual(data);
});

describe("lists of administrators", () => {
  test.each([
    ["/admin/events?filter[provider]=github", "event_id", ["evt_4", "evt_2"]],
    ["/admin/events?filter[event_id]=evt_3", "event_id", ["evt_3"]],
    ["/admin/events?filter[event_id]=evt_3&filter[provider]=github", "event_id", []],
    ["/admin/events?filter[state]=ignored&filter[type]=paid", "event_id", ["evt_5"]],
    ["/admin/jobs?filter[handler]=handler-0&filter[state]=ready", "handler", ["handler-0", "handler-0"]],
    ["/admin/audit?filter[action]=nothing", "id", []],
    ["/admin/providers?filter[scheme]=stripe", "name", ["stripe"]],
    ["/admin/providers?filter[source]=stored", "name", []],
  ])("are narrowed by filters: %s", async (target, member, expected) => {
    const { each } = await scene();
    expect(await each(target, member)).toEqual(expected);
    expect(await each(target, member, "v1")).toEqual(expected);
  });

  test("take times as filters, and jobs the event they are about", async () => {
    const { each, ports } = await scene();
    const third = new Date(ports.clock.now() + 3).toISOString();
    expect(await each(`/admin/events?filter[received_at][gte]=${third}`, "event_id")).toEqual([
      "evt_5",
      "evt_4",
      "evt_3",
    ]);
    expect(await each(`/admin/events?filter[received_at][lt]=${third}`, "event_id")).toEqual(["evt_2", "evt_1"]);
    const [second] = await each("/admin/events?filter[event_id]=evt_2", "id");
    expect(await each(`/admin/jobs?filter[event_id]=${second}`, "event_id")).toEqual([second]);
  });

  test.each(["/admin/events?provider=github", "/admin/jobs?handler=handler-1", "/admin/audit?actor=root"])(
    "take filters by their one name: %s is refused",
    async (target) => {
      const { get } = await scene();
      for (const version of ["v1", "v2"]) expect((await get(target, version)).body.code).toBe("unknown_parameter");
    },
  );
});
