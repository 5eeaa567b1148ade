import type { AnswerStream } from "@postern/core";
import { newEvent } from "@postern/core/testing";
import { expect, test } from "vitest";
import { testApi } from "./api.ts";

const scene = async () => {
  const api = testApi({ settings: { rateLimits: "off" } });
  const { token } = await api.admin();
  const { storage, clock } = api.ports;
  const open: AnswerStream[] = [];
  /** Follows the feed, and returns what it is sent while a second passes. */
  const follow = async (query = "", more: Parameters<typeof api.call>[2] = {}) => {
    const answer = await api.call("GET", `/admin/feed${query}`, { token, ...more });
    const { stream } = answer;
    if (stream === undefined) return { ...answer, text: async () => "" };
    open.push(stream);
    let text = "";
    void (async () => {
      for (let piece = await stream.next(); piece !== undefined; piece = await stream.next()) text += piece;
      text += "END";
    })();
    await clock.advance(0);
    return {
      ...answer,
      text: async () => {
        await clock.advance(1_100);
        return text;
      },
    };
  };
  const end = (): void => {
    for (const stream of open) stream.end();
  };
  return { ...api, token, storage, clock, follow, end };
};

/** The entries in a text: kind, id and data. */
const entriesIn = (text: string) =>
  [...text.matchAll(/event: (\w+)\nid: (\S+)\ndata: (.*)\n\n/g)].map(([, kind, id, data = ""]) => ({
    kind,
    id,
    data: JSON.parse(data),
  }));

test("the feed answers server-sent events: those stored from now on, failed jobs and alerts", async () => {
  const { follow, storage, ports, app } = await scene();
  await storage.events.accept([newEvent("before")]);
  const { status, headers, text } = await follow();
  expect(status).toBe(200);
  expect(headers).toMatchObject({ "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" });
  expect(headers?.etag).toBeUndefined();
  const [stored] = await storage.events.accept([newEvent("evt_1")]);
  const [, job] = await storage.jobs.claim({ runnerId: 1, queue: "default", limit: 2, now: ports.clock.now() });
  if (job === undefined) throw new Error("no job");
  await storage.jobs.finish([{ job, end: { to: "dead", error: "no use" } }], ports.clock.now());
  await storage.feed.alert({ kind: "job.dead", text: "Dead.", details: { provider: "stripe" } }, ports.clock.now());
  const told = await text();
  expect(told.startsWith(": connected\nretry: 1000\n\n")).toBe(true);
  const entries = entriesIn(told);
  expect(entries.map(({ kind }) => kind)).toEqual(["event", "job", "alert"]);
  expect(entries[0]?.data).toMatchObject({
    id: String(stored?.id),
    event_id: "evt_1",
    provider: "stripe",
    state: "dead",
  });
  expect(entries[1]?.data).toMatchObject({
    id: String(job.id),
    event_id: String(stored?.id),
    provider: "stripe",
    handler: "log",
    state: "dead",
    error: "no use",
  });
  expect(entries[2]?.data).toMatchObject({ kind: "job.dead", text: "Dead.", details: { provider: "stripe" } });
  app.endFeed();
  expect((await text()).endsWith("END")).toBe(true);
});

test("the feed goes on behind `Last-Event-ID`, and behind `after`", async () => {
  const { follow, storage, end } = await scene();
  const first = await follow("?after=0");
  await storage.events.accept([newEvent("a"), newEvent("b")]);
  const [a] = entriesIn(await first.text());
  await storage.events.accept([newEvent("c")]);
  const names = (text: string) => entriesIn(text).map(({ data }) => data.event_id);
  expect(names(await (await follow("", { headers: { "last-event-id": a?.id ?? "" } })).text())).toEqual(["b", "c"]);
  expect(names(await (await follow(`?after=${a?.id}`)).text())).toEqual(["b", "c"]);
  const refused = await follow("", { headers: { "last-event-id": "x" } });
  expect([refused.status, refused.body.code]).toEqual([400, "malformed_header"]);
  expect((await follow("?after=x")).body.code).toBe("invalid_parameter");
  const unknown = await (await follow("?after=999-1")).text();
  expect(entriesIn(unknown)[0]).toMatchObject({ kind: "reset" });
  end();
});

test("the feed has only the kinds, the sender and the type that are asked for", async () => {
  const { follow, storage, clock, end } = await scene();
  const readers = {
    alerts: await follow("?kind=alert"),
    github: await follow("?provider=github"),
    type: await follow("?type=push"),
    both: await follow("?kind=event,job&provider=stripe"),
  };
  await storage.events.accept([
    newEvent("s", { jobs: [] }),
    newEvent("g", { provider: "github", type: "push", jobs: [] }),
  ]);
  await storage.feed.alert({ kind: "a", text: "A.", details: {} }, clock.now());
  const told = async (reader: { text(): Promise<string> }) =>
    entriesIn(await reader.text()).map(({ data }) => data.event_id ?? data.kind);
  expect(await told(readers.alerts)).toEqual(["a"]);
  expect(await told(readers.github)).toEqual(["g"]);
  expect(await told(readers.type)).toEqual(["g"]);
  expect(await told(readers.both)).toEqual(["s"]);
  const wrong = await follow("?kind=mail");
  expect(wrong.status).toBe(400);
  end();
});

test("the feed is for administrators, and errors of handlers need the scope for payloads", async () => {
  const { follow, storage, ports, call, token, user, end } = await scene();
  expect((await follow("", { token: "" })).status).toBe(401);
  expect((await follow("", { token: (await user("bob")).token })).status).toBe(403);
  const key = (await call("POST", "/api-keys", { token, body: { name: "k", scopes: ["feed:read"] } })).body.key;
  const { text } = await follow("", { token: key });
  await storage.events.accept([newEvent("evt_1")]);
  const [job] = await storage.jobs.claim({ runnerId: 1, queue: "default", limit: 1, now: ports.clock.now() });
  if (job === undefined) throw new Error("no job");
  await storage.jobs.finish([{ job, end: { to: "dead", error: "secret" } }], ports.clock.now());
  const details = { job: job.id, kind: "log" };
  const dead = { kind: "job.dead", text: "log has given up on event 1 after 1 attempts: secret", details };
  await storage.feed.alert(dead, ports.clock.now());
  const told = await text();
  const [, failed, alert] = entriesIn(told);
  expect(failed?.data.error).toContain("masked");
  expect(alert?.data).toMatchObject({ kind: "job.dead", text: expect.stringContaining("masked"), details });
  expect(told).not.toContain("secret");
  end();
});
