import { newEvent } from "@postern/core/testing";
import { expect, test } from "vitest";
import { testApi } from "./api.ts";

const scene = async (bodies: readonly Uint8Array[]) => {
  const api = testApi({ settings: { rateLimits: "off" } });
  const { token } = await api.admin();
  const { storage } = api.ports;
  const stored = await storage.events.accept(bodies.map((body, n) => newEvent(`evt_${n}`, { body })));
  const ids = stored.map(({ id }) => String(id)).toReversed();
  const page = async (query: Readonly<Record<string, string>> = {}, given = token) => {
    const { status, body } = await api.call("GET", `/admin/events/export?${new URLSearchParams(query)}`, {
      token: given,
    });
    expect(status, body.detail).toBe(200);
    return { ...body, ids: body.events.map(({ id }: { id: string }) => id) };
  };
  const noted = async () =>
    (await storage.audit.list({ action: "events:reveal", limit: 100 })).map(
      ({ resource, resourceId, result, fields }) => ({ resource, resourceId, result, fields }),
    );
  return { ...api, token, ids, page, noted };
};

const small = (n: number) => Array.from({ length: n }, (_, at) => new TextEncoder().encode(`{"n":${at}}`));
const entry = (resourceId: string | undefined) => ({ resource: "event", resourceId, result: "done", fields: [] });

test("pages of an export have every event once, as it is read alone, and the log has one entry a page", async () => {
  const { ids, page, noted, call, token } = await scene(small(7));
  const first = await page({ limit: "3" });
  expect([first.ids, first.next]).toEqual([ids.slice(0, 3), ids[2]]);
  const second = await page({ limit: "3", before: first.next });
  const third = await page({ limit: "3", before: second.next });
  expect([second.ids, third.ids, third.next]).toEqual([ids.slice(3, 6), ids.slice(6), null]);
  // By the first and the last event, and how many; newest first.
  expect(await noted()).toEqual([entry(ids[6]), entry(`${ids[3]}-${ids[5]}:3`), entry(`${ids[0]}-${ids[2]}:3`)]);
  expect((await call("GET", `/admin/events/${ids[0]}`, { token })).body).toEqual(first.events[0]);
  expect(await page({ "filter[event_id]": "evt_2" })).toMatchObject({ ids: [ids[4]], next: null });
  expect(await page({ "filter[state]": "dead" })).toMatchObject({ ids: [], next: null });
  // Nothing was seen by the last one.
  expect(await noted()).toHaveLength(5);
});

test("a page ends behind the event with which its bodies have 4 MiB, whatever the limit", async () => {
  const mebibyte = new Uint8Array(1024 * 1024).fill(0x61);
  const { ids, page, noted } = await scene([
    ...small(1),
    mebibyte,
    mebibyte,
    mebibyte,
    mebibyte,
    mebibyte,
    ...small(2),
  ]);
  const first = await page({ limit: "100" });
  expect([first.ids, first.next]).toEqual([ids.slice(0, 6), ids[5]]);
  const rest = await page({ limit: "100", before: first.next });
  expect([rest.ids, rest.next]).toEqual([ids.slice(6), null]);
  expect(await noted()).toEqual([entry(`${ids[6]}-${ids[7]}:2`), entry(`${ids[0]}-${ids[5]}:6`)]);
});

test("who may not see payloads gets them masked, and nothing is noted", async () => {
  const { page, noted, call, token } = await scene(small(2));
  const made = await call("POST", "/api-keys", { token, body: { name: "key", scopes: ["events:read"] } });
  const { events } = await page({}, made.body.key);
  expect(events).toMatchObject([
    { masked: true, headers: {}, payload: null, body_base64: "", repeat: { key: null } },
    { masked: true, headers: {}, payload: null, body_base64: "", repeat: { key: null } },
  ]);
  expect(await noted()).toEqual([]);
});
