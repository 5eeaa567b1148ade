import { newEvent } from "@postern/core/testing";
import { compose, readConfig } from "@postern/server";
import { expect, test } from "vitest";
import { environment, postern } from "./command-line.ts";

const encoder = new TextEncoder();

test("postern events search finds events by text in their payload, says how far it came, and how to go on", async () => {
  await postern(["migrate"]);
  const empty = await postern(["events", "search", "in_7"]);
  expect([empty.code, empty.err]).toEqual([0, "Looked at 0 events; there are no more.\n"]);
  const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
  const receivedAt = Date.now();
  const bodies = ['{"note":"it\'s in_7"}', "{}", '{"note":"it\'s in_7 again"}', '{"note":"in_70"}'];
  await storage.events.accept(
    bodies.map((body, n) => newEvent(`evt_${n}`, { receivedAt, body: encoder.encode(body), jobs: [] })),
  );
  await close();

  const shown = await postern(["events", "search", "it's in_7"]);
  expect(shown.code).toBe(0);
  const [headings, ...rows] = shown.out.trimEnd().split("\n");
  expect(headings).toBe("ID\tPROVIDER\tTYPE\tSENDER'S ID\tSTATE\tREPEATS\tRECEIVED\tREASON");
  expect(rows.map((row) => row.split("\t")[3])).toEqual(["evt_2", "evt_0"]);
  expect(shown.err).toBe("Looked at 4 events; there are no more.\n");

  const first = await postern(["events", "search", "it's in_7", "--provider", "stripe", "--limit", "1"]);
  expect(first.out).toContain("evt_2");
  expect(first.out).not.toContain("evt_0");
  const at = new Date(receivedAt).toISOString();
  const [, id = ""] = /--before (\d+)/.exec(first.err) ?? [];
  expect(first.err).toBe(
    `Looked at 2 events, back to ${at}.\nGo on: postern events search --provider stripe --limit 1 --before ${id} 'it'\\''s in_7'\n`,
  );

  const next = await postern(["events", "search", "it's in_7", "--before", id, "--json"]);
  expect(JSON.parse(next.out)).toMatchObject({
    items: [{ event_id: "evt_0" }],
    looked_at: 2,
    without_body: 0,
    back_to: at,
    complete: true,
    next: null,
  });
  expect(next.err).toBe("");
  const none = await postern(["events", "search", "in_7", "--state", "dead", "--json"]);
  expect(JSON.parse(none.out)).toMatchObject({ items: [], looked_at: 0 });
  expect((await postern(["events", "search"])).code).toBe(2);
  expect((await postern(["events", "search", "x", "--before", "evt_1"])).code).toBe(2);
});
