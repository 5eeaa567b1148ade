import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newEvent } from "@postern/core/testing";
import { compose, readConfig } from "@postern/server";
import { expect, test } from "vitest";
import { countLines, linesFromEnd } from "../src/lines-from-end.ts";
import { readLine } from "../src/past-event.ts";
import { directory, environment, postern } from "./command-line.ts";

const elsewhere = () => ({ DATABASE_URL: `sqlite:${join(directory, "data/elsewhere.db")}` });

/** A database with events in several states. Returns what its export prints. */
const exported = async (): Promise<string> => {
  await postern(["migrate"]);
  const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
  const now = Date.now();
  const jobs = [{ kind: "mail", maxAttempts: 2, orderKey: "customer 7" }];
  const receivedAt = now - 60_000;
  await storage.events.accept([newEvent("evt_1", { receivedAt, jobs, repeats: 3 })]);
  const [claimed] = await storage.jobs.claim({ runnerId: 1, queue: "default", limit: 1, now });
  if (claimed !== undefined)
    await storage.jobs.finish([{ job: claimed, end: { to: "dead", error: "Error: no use" } }], now);
  await storage.events.accept([
    newEvent("evt_2", { receivedAt, jobs: [], body: Uint8Array.from([0, 255, 10, 13]) }),
    newEvent("evt_3", { receivedAt, jobs: [], disposition: "quarantined", reason: "no type" }),
    newEvent("evt_4", { receivedAt, jobs: [{ kind: "mail", maxAttempts: 2 }] }),
  ]);
  await close();
  expect((await postern(["events", "note", "1", "looked at it"])).code).toBe(0);
  return (await postern(["events", "export"])).out;
};

/** An event without what is new in another database. */
const comparable = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => {
      const { id: _id, jobs, ...event } = JSON.parse(line);
      return { ...event, jobs: jobs.map(({ id: _job, event_id: _event, ...job }: Record<string, unknown>) => job) };
    });

test("an import has every event as the export had it, and a second one doubles nothing", async () => {
  const text = await exported();
  await writeFile(join(directory, "events.ndjson"), text);
  await postern(["migrate"], { variables: elsewhere() });
  const load = (...more: string[]) =>
    postern(["events", "import", "events.ndjson", ...more], { variables: elsewhere() });

  expect(await load("--dry-run")).toMatchObject({
    code: 0,
    out: "4 events would be imported, 0 already there, 0 lines refused.\n",
  });
  const none = await postern(["events", "export"], { variables: elsewhere() });
  expect(none.out).toBe("");
  expect(await load()).toMatchObject({ code: 0, out: "4 events imported, 0 already there, 0 lines refused.\n" });
  const there = await postern(["events", "export"], { variables: elsewhere() });
  expect(comparable(there.out).map(({ event_id: id, state }) => [id, state])).toEqual([
    ["evt_4", "received"],
    ["evt_3", "quarantined"],
    ["evt_2", "processed"],
    ["evt_1", "dead"],
  ]);
  // A job loses its times of claiming; all else of the events is the same.
  const without = (text: string) =>
    comparable(text).map(({ jobs, ...event }) => ({
      ...event,
      jobs: jobs.map(({ started_at: _started, ...job }: Record<string, unknown>) => job),
    }));
  expect(without(there.out)).toEqual(without(text));
  const before = there.out;
  expect(JSON.parse((await load("--json")).out)).toEqual({
    imported: 0,
    already_there: 4,
    refused: 0,
    refusals: [],
    older_than_retention: 0,
    dry_run: false,
  });
  expect((await postern(["events", "export"], { variables: elsewhere() })).out).toBe(before);
  const log = await postern(["audit", "list", "--action", "events.import", "--json"], { variables: elsewhere() });
  expect(JSON.parse(log.out).items).toHaveLength(1);

  // What was dead runs again only when somebody says so.
  const again = await postern(["events", "list", "--state", "dead", "--json"], { variables: elsewhere() });
  const [{ id }] = JSON.parse(again.out).items;
  expect((await postern(["events", "replay", id], { variables: elsewhere() })).out).toContain("runs again (1 job)");
});

test("reads what only some databases store with U+FFFD in its place", async () => {
  const [first = ""] = (await exported()).trim().split("\n");
  const given = JSON.parse(first);
  const at = given.received_at;
  const [job] = given.jobs;
  const odd = {
    ...given,
    type: "a\0\ud800",
    event_id: "😀\0",
    jobs: [{ ...job, order_key: "k\0", last_error: "E\0" }],
    notes: [{ id: "019a5e2e-90b2-7d15-a3f4-c17d0e6b8a92", at, author: "ada", text: "n\0" }],
  };
  expect(readLine(JSON.stringify(odd))).toMatchObject({
    event: {
      type: "a\ufffd\ufffd",
      eventId: "😀\ufffd",
      jobs: [{ orderKey: "k\ufffd", lastError: "E\ufffd" }],
    },
    notes: [{ text: "n\ufffd" }],
  });
});

test("says the line of what it refuses, and imports the rest", async () => {
  const [first = "", ...rest] = (await exported()).trim().split("\n");
  const listed = (await postern(["events", "export", "--without-payload"])).out.split("\n", 1)[0] ?? "";
  const wrong = first.replace(/"received_at":"[^"]*"/, '"received_at":"yesterday"');
  const old = first
    .replace(/"received_at":"[^"]*"/, '"received_at":"2001-01-01T00:00:00.000Z"')
    .replace(/"key":"evt_4"/, '"key":"evt_9"');
  const masked = JSON.stringify({ ...JSON.parse(first), masked: true, repeat: { key: null } });
  await writeFile(join(directory, "events.ndjson"), [first, "{", ...rest, listed, wrong, masked, old, ""].join("\n"));
  await postern(["migrate"], { variables: elsewhere() });
  const { code, out, err } = await postern(["events", "import", "events.ndjson"], { variables: elsewhere() });
  expect([code, out]).toEqual([
    6,
    "5 events imported, 0 already there, 4 lines refused.\n" +
      "1 event of them came more than 35 days ago: they are deleted within an hour, unless POSTERN_RETENTION_EVENTS is longer.\n",
  ]);
  expect(err).toContain("Line 2: it is not JSON.\n");
  expect(err).toContain("Line 6: it has no body: export it without --without-payload.\n");
  expect(err).toMatch(/Line 7: received_at: /);
  expect(err).toContain("Line 8: its payload is masked");
  expect((await postern(["events", "import", "nowhere"], { variables: elsewhere() })).code).toBe(2);
  expect((await postern(["events", "import", "."], { variables: elsewhere() })).err).toContain("cannot be read");
});

test.each([1, 2, 3, 7, 4096])("reads lines from the end of a file in pieces of %i bytes", async (bytes) => {
  for (const text of ["", "\n", "one", "one\n", "é\n\nthree\r\nfour", "\n\nä"]) {
    const path = join(directory, "lines");
    await writeFile(path, text);
    const file = await open(path);
    const lines: string[] = [];
    for await (const line of linesFromEnd(file, bytes)) lines.unshift(line);
    expect(lines).toEqual(text.split("\n"));
    expect(await countLines(file)).toBe(lines.length);
    await file.close();
  }
});
