import { newEvent } from "@postern/core/testing";
import { describe, expect, test, vi } from "vitest";
import { testApi } from "./api.ts";

const encoder = new TextEncoder();

/** An event that no handler wants, with this body. */
const event = (key: string, text: string, more: Parameters<typeof newEvent>[1] = {}) =>
  newEvent(key, { body: encoder.encode(text), disposition: "ignored", reason: "no handler", jobs: [], ...more });

const scene = async () => {
  const api = testApi({ settings: { rateLimits: "off" } });
  const { token } = await api.admin();
  const { storage } = api.ports;
  const ids = new Map<string, string>();
  const store = async (...events: readonly ReturnType<typeof event>[]): Promise<void> => {
    const outcomes = await storage.events.accept(events);
    for (const [at, { id }] of outcomes.entries()) ids.set(events[at]?.eventId ?? "", String(id));
  };
  const search = (query: Readonly<Record<string, string>>, given = token, version = "v2") =>
    api.call("GET", `/admin/events/search?${new URLSearchParams(query)}`, { token: given, version });
  const namesOf = (body: { events: readonly { event_id: string }[] }) => body.events.map((one) => one.event_id);
  const keyWith = async (...scopes: readonly string[]): Promise<string> =>
    (await api.call("POST", "/api-keys", { token, body: { name: "key", scopes } })).body.key;
  return { ...api, token, ids, store, search, namesOf, keyWith };
};

describe("a search for text in payloads", () => {
  test("finds the events that contain it, newest first, and says that all were looked at", async () => {
    const { store, search, namesOf, ports } = await scene();
    await store(event("evt_1", '{"id":"in_7"}'), event("evt_2", '{"id":"in_8"}'), event("evt_3", "invoice=in_7"));
    const { status, body } = await search({ text: "in_7" });
    expect(status).toBe(200);
    expect(namesOf(body)).toEqual(["evt_3", "evt_1"]);
    expect(body.events[0]).toMatchObject({ provider: "stripe", type: "invoice.paid", state: "ignored" });
    const backTo = (await ports.storage.events.list({ limit: 1 }))[0]?.receivedAt ?? 0;
    expect(body).toMatchObject({ looked_at: 3, without_body: 0, complete: true, next: null });
    expect(body.back_to).toBe(new Date(backTo).toISOString());
    expect((await search({ text: "in_7" }, undefined, "v1")).body).toEqual(body);
  });

  test("compares bytes: case counts, and a text that is nowhere is not found", async () => {
    const { store, search, namesOf } = await scene();
    await store(event("evt_1", '{"name":"Grüße"}'), event("evt_2", '{"name":"Gr\\u00fc\\u00dfe"}'));
    expect(namesOf((await search({ text: "Grüße" })).body)).toEqual(["evt_1"]);
    expect(namesOf((await search({ text: "\\u00fc" })).body)).toEqual(["evt_2"]);
    expect((await search({ text: "grüße" })).body).toMatchObject({ events: [], looked_at: 2, complete: true });
    const { body } = await search({ text: "x", "filter[provider]": "nobody" });
    expect(body).toEqual({ events: [], looked_at: 0, without_body: 0, back_to: null, complete: true, next: null });
  });

  test("looks only at the events that fit the filters", async () => {
    const { store, search, namesOf } = await scene();
    const at = Date.UTC(2026, 0, 31, 12);
    await store(
      event("evt_1", "in_7", { provider: "github", receivedAt: at }),
      event("evt_2", "in_7", { type: "invoice.sent", receivedAt: at + 1 }),
      event("evt_3", "in_7", { disposition: "quarantined", receivedAt: at + 2 }),
    );
    const found = async (filter: Readonly<Record<string, string>>) => {
      const { body } = await search({ text: "in_7", ...filter });
      return [...namesOf(body), body.looked_at];
    };
    expect(await found({ "filter[provider]": "github" })).toEqual(["evt_1", 1]);
    expect(await found({ "filter[event_id]": "evt_2" })).toEqual(["evt_2", 1]);
    expect(await found({ "filter[type]": "invoice.sent" })).toEqual(["evt_2", 1]);
    expect(await found({ "filter[state]": "quarantined" })).toEqual(["evt_3", 1]);
    expect(await found({ "filter[received_at][gte]": new Date(at + 1).toISOString() })).toEqual(["evt_3", "evt_2", 2]);
    expect(await found({ "filter[received_at][lt]": new Date(at + 1).toISOString() })).toEqual(["evt_1", 1]);
    expect(await found({ "filter[cause]": "abcdefABCDEF" })).toEqual([0]);
  });

  test("finds an event by the sender's id under its key, and walks for one whose key says something else", async () => {
    const { store, ids, call, ports, token } = await scene();
    const byBody = { dedupeKey: `2:body:${"0".repeat(64)}`, eventId: "in_2", provider: "acme" };
    await store(event("in_1", "a"), event("2:id:in_3", "c", { eventId: "in_3" }), event("x", "b", byBody));
    const list = vi.spyOn(ports.storage.events, "list");
    const found = async (query: Readonly<Record<string, string>>) => {
      const { body } = await call("GET", `/admin/events?${new URLSearchParams(query)}`, { token });
      const asked = list.mock.lastCall?.[0].ids?.map(String);
      return [body.data.map(({ id }: { id: string }) => id), asked];
    };
    const key = "a secret of the sender that is long";
    expect((await call("POST", "/admin/providers", { token, body: { name: "stripe", key } })).status).toBe(201);
    for (const name of ["in_1", "in_3"]) {
      const id = ids.get(name);
      expect(await found({ "filter[event_id]": name })).toEqual([[id], [id]]);
      expect(await found({ "filter[event_id]": name, "filter[provider]": "stripe" })).toEqual([[id], [id]]);
    }
    expect(await found({ "filter[event_id]": "in_2" })).toEqual([[ids.get("in_2")], undefined]);
    expect(await found({ "filter[event_id]": "in_1", "filter[provider]": "acme" })).toEqual([[], undefined]);
    expect(await found({ "filter[event_id]": "in_1", "filter[state]": "dead" })).toEqual([[], [ids.get("in_1")]]);
  });

  test("ends when it has found enough, and goes on from there", async () => {
    const { store, search, namesOf, ids } = await scene();
    await store(...[1, 2, 3, 4].map((n) => event(`evt_${n}`, n === 3 ? "other" : "in_7")));
    const first = (await search({ text: "in_7", limit: "2" })).body;
    expect(namesOf(first)).toEqual(["evt_4", "evt_2"]);
    expect(first).toMatchObject({ looked_at: 3, complete: false, next: ids.get("evt_2") });
    const second = (await search({ text: "in_7", limit: "2", before: first.next })).body;
    expect(namesOf(second)).toEqual(["evt_1"]);
    expect(second).toMatchObject({ looked_at: 1, complete: true, next: null });
  });

  test("ends after 10,000 events, and goes on from there", async () => {
    const { store, search, namesOf } = await scene();
    await store(event("oldest", "in_7"), ...Array.from({ length: 10_000 }, (_, n) => event(`evt_${n}`, "{}")));
    const { body } = await search({ text: "in_7" });
    expect(body).toMatchObject({ events: [], looked_at: 10_000, complete: false });
    const rest = (await search({ text: "in_7", before: body.next })).body;
    expect(namesOf(rest)).toEqual(["oldest"]);
    expect(rest).toMatchObject({ looked_at: 1, complete: true });
  });

  test("ends after two seconds, and goes on from there", async () => {
    const { store, search, namesOf, ports } = await scene();
    await store(event("oldest", "in_7"), ...Array.from({ length: 1_600 }, (_, n) => event(`evt_${n}`, "{}")));
    const { events } = ports.storage;
    const { searchBodies } = events;
    // A database that takes 0.9 s for each look at bodies.
    const slowly: typeof searchBodies = async (...given) => {
      await ports.clock.advance(900);
      return searchBodies(...given);
    };
    Object.assign(events, { searchBodies: slowly });
    const { body } = await search({ text: "in_7" });
    expect(body).toMatchObject({ events: [], looked_at: 1_500, complete: false });
    const rest = (await search({ text: "in_7", before: body.next })).body;
    expect(namesOf(rest)).toEqual(["oldest"]);
    expect(rest).toMatchObject({ looked_at: 101, complete: true });
  });

  test("looks at long bodies a few at a time", async () => {
    const { store, search, namesOf, ports } = await scene();
    const long = "x".repeat(9 * 1024 * 1024);
    await store(event("evt_1", `${long}in_7`), event("evt_2", long), event("evt_3", `in_7${long}`));
    const { events } = ports.storage;
    const { searchBodies } = events;
    const asked: number[] = [];
    const watched: typeof searchBodies = async (ids, given) => {
      asked.push(ids.length);
      return searchBodies(ids, given);
    };
    Object.assign(events, { searchBodies: watched });
    const { body } = await search({ text: "in_7" });
    expect([namesOf(body), body.looked_at, asked]).toEqual([["evt_3", "evt_1"], 3, [3, 2, 1]]);
  });

  test("says how many events have no body any more", async () => {
    const { store, search, namesOf, ports } = await scene();
    const now = ports.clock.now();
    await store(event("evt_1", "in_7", { receivedAt: now - 10 }), event("evt_2", "in_7", { receivedAt: now - 9 }));
    await ports.storage.housekeeping.prune("bodies", now, 10);
    await store(event("evt_3", "in_7", { receivedAt: now }));
    const { body } = await search({ text: "in_7" });
    expect(namesOf(body)).toEqual(["evt_3"]);
    expect(body).toMatchObject({ looked_at: 3, without_body: 2, complete: true });
  });

  test("needs the scope for seeing payloads, and is in the audit log", async () => {
    const { store, search, keyWith, ports } = await scene();
    await store(event("evt_1", "in_7"));
    const noted = async () => ports.storage.audit.list({ action: "events:reveal", limit: 10 });
    const refused = await search({ text: "in_7" }, await keyWith("events:read"));
    expect([refused.status, refused.body.code]).toEqual([403, "insufficient_scope"]);
    expect(await noted()).toEqual([]);
    expect((await search({ text: "nowhere" }, await keyWith("events:reveal"))).status).toBe(200);
    expect(await noted()).toMatchObject([{ resource: "event", result: "done" }]);
  });

  test("refuses a search without a text, and filters and places that are none", async () => {
    const { search } = await scene();
    const codeOf = async (query: Readonly<Record<string, string>>) => (await search(query)).body.code;
    expect(await codeOf({})).toBe("invalid_parameter");
    expect(await codeOf({ text: "" })).toBe("invalid_parameter");
    expect(await codeOf({ text: "x".repeat(201) })).toBe("invalid_parameter");
    expect(await codeOf({ text: "x", before: "evt_1" })).toBe("invalid_parameter");
    expect(await codeOf({ text: "x", limit: "101" })).toBe("invalid_parameter");
    expect(await codeOf({ text: "x", "filter[state]": "lost" })).toBe("invalid_filter");
  });
});
