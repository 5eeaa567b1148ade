import { stripVTControlCharacters } from "node:util";
import { newEvent } from "@postern/core/testing";
import { compose, readConfig } from "@postern/server";
import stringWidth from "string-width";
import { beforeEach, describe, expect, test } from "vitest";
import { create, environment, onTerminal, postern } from "./command-line.ts";

const hour = 3_600_000;

beforeEach(async () => {
  await postern(["migrate"]);
  const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
  const receivedAt = Date.now() - 5 * hour - 1_000;
  await storage.events.accept([
    newEvent("evt_1", { receivedAt, type: "請求書.支払済み.請求書.支払済み", jobs: [] }),
    newEvent("evt_2", { receivedAt, type: "\u001b[2J👩‍👩‍👧‍👦".repeat(20), jobs: [{ kind: "mail", maxAttempts: 1 }] }),
    newEvent(`evt_${"3".repeat(60)}`, { receivedAt, jobs: [{ kind: "mail", maxAttempts: 1 }] }),
  ]);
  const [job] = await storage.jobs.claim({ runnerId: 9, queue: "default", limit: 1, now: receivedAt, kinds: ["mail"] });
  if (job === undefined) throw new Error("there is no job");
  await storage.jobs.finish([{ job, end: { to: "dead", error: "Error: no\u001b[31m network" } }], receivedAt);
  await close();
});

const lines = (out: string): readonly string[] => out.trimEnd().split("\n");
const headings = ["ID", "PROVIDER", "TYPE", "SENDER'S ID", "STATE", "REPEATS", "RECEIVED", "REASON"];

describe("a list on a terminal", () => {
  test.each([40, 60, 80, 120, 200])("wraps no row on %i columns, and lines up wide characters", async (columns) => {
    const { code, out } = await onTerminal(columns, ["events", "list"]);
    expect(code).toBe(0);
    const shown = lines(stripVTControlCharacters(out));
    expect(shown).toHaveLength(4);
    for (const line of shown) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    const [first = ""] = shown;
    const place = stringWidth(first.slice(0, first.indexOf("TYPE")));
    const types = shown.map((line) => line.split(/ {2,}/)[2] ?? "");
    for (const [index, line] of shown.entries()) {
      const before = line.slice(0, line.indexOf(types[index] ?? "", 1));
      expect(stringWidth(before)).toBe(place);
    }
    expect(out).not.toContain("\u001b[2J");
  });

  test("leaves out the last columns where there is no room, never the first", async () => {
    const [narrow = ""] = lines(stripVTControlCharacters((await onTerminal(30, ["events", "list"])).out));
    const [wide = ""] = lines(stripVTControlCharacters((await onTerminal(250, ["events", "list"])).out));
    const shown = narrow.split(/ {2,}/);
    expect(wide.split(/ {2,}/)).toEqual(headings);
    expect(shown).toEqual(headings.slice(0, shown.length));
    expect(shown.length).toBeGreaterThan(1);
  });

  test("keeps the first column whole, which commands take", async () => {
    await create("somebody.with.a.long.address@example.com");
    const { items } = JSON.parse((await postern(["users", "list", "--json"])).out);
    for (const columns of [40, 60]) {
      const [, row = ""] = lines((await onTerminal(columns, ["users", "list"])).out);
      expect(row.split(" ")[0]).toBe(items[0].id);
    }
  });

  test("shows times by their distance, and states in colours that can be switched off", async () => {
    const { out } = await onTerminal(200, ["events", "list"]);
    expect(out).toContain("  5 h ago  ");
    expect(out).toContain("\u001b[31mdead\u001b[39m ");
    expect(out).toContain("\u001b[32mprocessed\u001b[39m ");
    for (const variables of [{ NO_COLOR: "1" }, { TERM: "dumb" }, { FORCE_COLOR: "0" }]) {
      const plain = await onTerminal(200, ["events", "list"], variables);
      expect(plain.out).toBe(stripVTControlCharacters(out));
    }
  });

  test("escapes what a handler threw, also beside colours", async () => {
    const { out } = await onTerminal(200, ["jobs", "list"]);
    expect(out).toContain("Error: no\\u001b[31m network");
    const [dead] = JSON.parse((await postern(["jobs", "list", "--state", "dead", "--json"])).out).items;
    const shown = await onTerminal(60, ["jobs", "show", dead.id]);
    expect(shown.out).toContain("Error: no\\u001b[31m network");
    expect(shown.out).toContain(dead.created_at);
  });
});

describe("a list for programs", () => {
  test("is separated by tabs, whole and exact, with no colour", async () => {
    const { out } = await postern(["events", "list"], { variables: { FORCE_COLOR: "1" } });
    const rows = lines(out).map((line) => line.split("\t"));
    expect(rows[0]).toEqual(headings);
    expect(rows[1]?.[3]).toBe(`evt_${"3".repeat(60)}`);
    expect(rows[1]?.[6]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  test("with --jsonl is one JSON object a line, and says on stderr how to go on", async () => {
    const { out, err } = await postern(["events", "list", "--limit", "2", "--jsonl"]);
    const items = lines(out).map((line) => JSON.parse(line));
    const whole = JSON.parse((await postern(["events", "list", "--limit", "2", "--json"])).out);
    expect(items).toEqual(whole.items);
    expect(err).toBe(`More: --cursor ${whole.next}\n`);
  });

  test("of all events is exported page by page, with payloads or without", async () => {
    const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
    await storage.events.accept(Array.from({ length: 150 }, (_, n) => newEvent(`more_${n}`)));
    await close();
    const items = lines((await postern(["events", "export"])).out).map((line) => JSON.parse(line));
    expect(items).toHaveLength(153);
    expect(items[0]).toEqual(JSON.parse((await postern(["events", "show", items[0].id, "--json"])).out));
    expect(new Set(items.map(({ id }) => id)).size).toBe(153);
    const short = await postern(["events", "export", "--without-payload", "--state", "dead"]);
    const listed = JSON.parse((await postern(["events", "list", "--state", "dead", "--json"])).out).items;
    expect(lines(short.out).map((line) => JSON.parse(line))).toEqual(listed);
  });

  test("with --fields has these fields, in this order, in each form", async () => {
    const fields = ["--fields", "state, id"];
    const { items, next } = JSON.parse((await postern(["events", "list", ...fields, "--json"])).out);
    expect(next).toBeNull();
    expect(items).toHaveLength(3);
    for (const item of items) expect(Object.keys(item)).toEqual(["state", "id"]);
    const [first] = items;
    expect(lines((await postern(["events", "list", ...fields, "--jsonl"])).out)[0]).toBe(JSON.stringify(first));
    expect(lines((await postern(["events", "list", ...fields])).out).slice(0, 2)).toEqual([
      "STATE\tID",
      `${first.state}\t${first.id}`,
    ]);
  });

  test("refuses a field that there is not, and names those that there are", async () => {
    const { code, err, out } = await postern(["events", "list", "--fields", "id,stat"]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/^--fields: there is no field "stat"; there are id, .*state/);
  });
});
