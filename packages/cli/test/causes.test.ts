import { newEvent } from "@postern/core/testing";
import { compose, readConfig } from "@postern/server";
import { expect, test } from "vitest";
import { environment, postern } from "./command-line.ts";

test("postern causes shows thousands of failures as a few rows, and leads to their events and jobs", async () => {
  await postern(["migrate"]);
  expect(await postern(["causes", "--json"])).toMatchObject({ code: 0, out: '{"items":[]}\n' });
  const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
  const now = Date.now();
  const events = Array.from({ length: 40 }, (_, n) =>
    newEvent(`evt_${n}`, { receivedAt: now, jobs: [{ kind: n < 30 ? "mail" : "pay", maxAttempts: 1 }] }),
  );
  await storage.events.accept(events);
  for (const [kind, error] of [
    ["mail", "Error: the server answered"],
    ["pay", "TypeError: no card"],
  ] as const) {
    const jobs = await storage.jobs.claim({ runnerId: 900_000, queue: "default", limit: 100, now, kinds: [kind] });
    const stack = "    at send (/app/mail.ts:3:1)";
    const ends = jobs.map((job) => ({ job, end: { to: "dead", error: `${error} ${job.id}`, stack } as const }));
    await storage.jobs.finish(ends, now);
  }
  await close();

  const shown = await postern(["causes"]);
  expect(shown.code).toBe(0);
  const [headings, ...rows] = shown.out.trimEnd().split("\n");
  expect(headings).toBe("CAUSE\tFAILURES\tSHARE\tHANDLER\tFIRST\tLAST\tEVENT\tJOB\tERROR");
  expect(rows.map((row) => row.split("\t").toSpliced(4, 4).toSpliced(0, 1))).toEqual([
    ["30", "75 %", "mail", "Error: the server answered #, at send (mail.ts)"],
    ["10", "25 %", "pay", "TypeError: no card #, at send (mail.ts)"],
  ]);
  expect(shown.err).toContain("postern events list --cause");

  const { items } = JSON.parse((await postern(["causes", "--limit", "1", "--json"])).out);
  expect(items).toMatchObject([{ handler: "mail", failures: 30, share: 0.75, message: "the server answered #" }]);
  const [{ id, example }] = items;
  const listed = async (...line: string[]): Promise<readonly { readonly id: string }[]> =>
    JSON.parse((await postern([...line, "--limit", "100", "--json"])).out).items;
  const found = await listed("events", "list", "--cause", id);
  expect([found.length, found[0]?.id]).toEqual([30, example.event_id]);
  expect(await listed("events", "list", "--cause", id, "--state", "retrying")).toEqual([]);
  expect((await listed("jobs", "list", "--cause", id)).map((job) => job.id)).toContain(example.job_id);
  const replay = ["events", "replay", "--state", "dead", "--cause", id, "--dry-run", "--json"];
  expect(JSON.parse((await postern(replay)).out)).toMatchObject({ matched: 30 });

  expect(JSON.parse((await postern(["causes", "--since", "1h", "--json"])).out).items).toHaveLength(2);
  expect((await postern(["causes", "--since", "soon"])).code).toBe(2);
  for (const limit of ["few", "0", "101"]) expect((await postern(["causes", "--limit", limit])).code).toBe(2);
  expect((await postern(["events", "list", "--cause", "1"])).code).toBe(2);
});
