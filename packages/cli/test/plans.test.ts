import { newEvent } from "@postern/core/testing";
import { compose, readConfig } from "@postern/server";
import { expect, test } from "vitest";
import { environment, postern } from "./command-line.ts";

/** Seven events of one sender that are dead, and one in quarantine. Returns their ids. */
const fill = async (): Promise<readonly string[]> => {
  const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
  const now = Date.now() - 10;
  await storage.events.accept([
    ...Array.from({ length: 7 }, (_, n) =>
      newEvent(`evt_${n}`, { receivedAt: now, jobs: [{ kind: "mail", maxAttempts: 1 }] }),
    ),
    newEvent("evt_odd", { receivedAt: now, disposition: "quarantined", reason: "it has no type", jobs: [] }),
  ]);
  const jobs = await storage.jobs.claim({ runnerId: 900_000, queue: "default", limit: 100, now });
  const ends = jobs.map((job) => ({ job, end: { to: "dead", error: "Error: no use" } as const }));
  await storage.jobs.finish(ends, now);
  const events = await storage.events.list({ after: 0, limit: 10 });
  await close();
  return events.map(({ id }) => String(id));
};

test("postern plans says what a replay would do, runs it after a question, and stops and starts it", async () => {
  await postern(["migrate"]);
  const ids = await fill();
  const made = await postern(["plans", "make", "replay", "--state", "dead", "--rate", "5"]);
  expect(made.code).toBe(0);
  const [, id = ""] = /^Plan (\S+)\n/.exec(made.out) ?? [];
  expect(made.out).toContain("7 events match; 7 would run again, at most 5 a second.\n  mail: 7 jobs\n");
  expect(made.err).toContain(`postern plans run ${id}`);

  const plan = async (name: string, ...more: readonly string[]) => postern(["plans", name, id, ...more]);
  expect(await plan("pause")).toMatchObject({ code: 9, err: expect.stringContaining("it is planned") });
  expect((await plan("run")).code).not.toBe(0);
  expect(JSON.parse((await plan("show", "--json")).out)).toMatchObject({ state: "planned", remaining: 7 });
  expect((await plan("run", "--yes")).out).toBe(`Plan ${id} runs.\n`);
  expect((await plan("pause")).out).toContain("0 run again (0 jobs), 0 skipped, 0 failed, 7 still to be looked at.");
  expect(JSON.parse((await plan("resume", "--json")).out).state).toBe("running");
  expect((await plan("cancel", "--yes")).out).toContain(`Plan ${id} is cancelled.`);
  const shown = (await plan("show")).out;
  for (const line of [/^state +cancelled$/m, /^filter +state=dead received_before=\S+$/m, /^per second +5$/m]) {
    expect(shown).toMatch(line);
  }
  expect((await postern(["plans", "list"])).out).toMatch(new RegExp(`^${id}\treplay\tcancelled\t7\t0\t`, "m"));
  expect(JSON.parse((await postern(["plans", "list", "--state", "done", "--json"])).out).items).toEqual([]);

  const discard = ["plans", "make", "discard", "--state", "quarantined"];
  expect((await postern(discard)).code).toBe(2);
  expect(JSON.parse((await postern([...discard, "--reason", "theirs", "--json"])).out)).toMatchObject({
    action: "discard",
    reason: "theirs",
    dry_run: { matched: 1, done: 1 },
  });
  expect((await postern(["plans", "show", "1"])).code).toBe(3);
  expect((await postern(["plans", "make", "forget"])).code).toBe(2);
  expect((await postern(["plans", "make", "replay", "--rate", "fast"])).code).toBe(2);

  const [one = "", two = ""] = ids;
  const gone = await postern(["events", "discard", one, two, "--reason", "sent in error", "--yes"]);
  expect([gone.code, gone.out]).toEqual([0, `Event ${one} is discarded.\nEvent ${two} is discarded.\n`]);
  const again = await postern(["events", "discard", one, ids[2] ?? "", "--reason", "x", "--yes", "--json"]);
  expect([again.code, JSON.parse(again.out)]).toEqual([6, { items: [{ id: ids[2] }] }]);
  const { items } = JSON.parse((await postern(["events", "list", "--state", "discarded", "--json"])).out);
  expect(items.map((item: { reason: string }) => item.reason)).toEqual(["x", "sent in error", "sent in error"]);
});

test("postern events note and diff tell what people know of an event, and what is different about it", async () => {
  await postern(["migrate"]);
  const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
  const encoded = (text: string) => new TextEncoder().encode(text);
  const event = (key: string, body: string) =>
    newEvent(key, { provider: "acme", type: "paid", body: encoded(body), jobs: [] });
  await storage.events.accept([event("evt_1", '{"n":1,"old":true}')]);
  await storage.events.accept([event("evt_2", '{"n":2,"new":"x"}')]);
  const [first = "", second = ""] = (await storage.events.list({ after: 0, limit: 2 })).map(({ id }) => String(id));
  await close();
  expect(await postern(["events", "note", second, "odd"])).toMatchObject({
    code: 0,
    out: `Noted about event ${second}.\n`,
  });
  expect((await postern(["events", "show", second])).out).toMatch(/\nnotes\nAT +AUTHOR +NOTE\n\S+ +\S+ +odd\n/);
  const diff = await postern(["events", "diff", second]);
  expect(diff.out).toContain('/n\tchanged\t1\t2\n/old\tremoved\ttrue\t-\n/new\tadded\t-\t"x"\n');
  expect(diff.err).toContain(`Against event ${first} of `);
  const back = JSON.parse((await postern(["events", "diff", first, "--against", second, "--json"])).out);
  expect(back).toMatchObject({ against: { event_id: second }, complete: true, items: [{ path: "/n" }, {}, {}] });
  expect((await postern(["events", "diff", first])).err).toContain("There is no earlier event of its type");
  expect((await postern(["events", "note", "999", "odd"])).code).toBe(3);
});

test("all quarantined events of a state run anyway with --overrule and a reason, and neither goes alone", async () => {
  await postern(["migrate"]);
  const variables = { LOG_LEVEL: "error", WEBHOOK_STRIPE_SECRET: "whsec_test_0123456789abcdef" };
  const { storage, close } = await compose(readConfig(environment(variables), false), {});
  const untyped = { type: undefined, body: new TextEncoder().encode('{"object":"event","id":"evt_1"}') };
  const quarantined = { disposition: "quarantined", reason: "the event has no type", jobs: [] } as const;
  await storage.events.accept([newEvent("evt_1", { ...untyped, ...quarantined })]);
  const all = ["events", "replay", "--state", "quarantined", "--yes"];
  expect((await postern(all, { variables })).out).toContain("skipped 1: the event has no type");
  const overrule = ["--overrule", "--reason", "the sender told us"];
  for (const half of [["--overrule"], ["--reason", "x"], ["--as-type", "x"]])
    expect((await postern([...all, ...half], { variables })).code).toBe(2);
  const dry = await postern([...all, ...overrule, "--dry-run"], { variables });
  expect(dry.out).toContain("1 event matches; 1 would run again.\n");
  expect((await postern([...all, ...overrule], { variables })).out).toContain("1 run again (1 job)");
  const [event] = await storage.events.list({ limit: 1 });
  const { overruled } = (await storage.events.find(event?.id ?? 0)) ?? {};
  expect(overruled).toBe("the event has no type; overruled: the sender told us");
  await close();
});
