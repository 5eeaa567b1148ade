import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compose, readConfig } from "@postern/server";
import { expect, test } from "vitest";
import { directory, environment, postern } from "./command-line.ts";

test("postern schedules list shows when each schedule ran last and runs next", async () => {
  writeFileSync(
    join(directory, "postern.config.mjs"),
    `import { defineConfig, schedule } from "@postern/server";
     export default defineConfig({ schedules: [
       schedule("report", "0 6 * * 1", async () => {}, { timeZone: "Europe/Berlin" }),
       schedule("yearly", "@yearly", async () => {}, { missed: "skip" }),
     ] });`,
  );
  await postern(["migrate"]);
  const slot = Date.UTC(2026, 0, 5, 5);
  const { storage, close } = await compose(readConfig(environment(), false), {});
  const job = { kind: "report", maxAttempts: 1, payload: { slot } };
  expect(await storage.scheduleSlots.fire({ name: "report", slot, job }, slot)).toBe(true);
  await close();
  const nextYear = `${new Date().getUTCFullYear() + 1}-01-01T00:00:00.000Z`;
  const { code, out, err } = await postern(["schedules", "list", "--json"]);
  expect([code, err]).toEqual([0, ""]);
  const [report, yearly] = JSON.parse(out).items;
  expect(report).toMatchObject({ name: "report", cron: "0 6 * * 1", time_zone: "Europe/Berlin", missed: "last" });
  expect(report.last_at).toBe("2026-01-05T05:00:00.000Z");
  // The next Monday, at six in Berlin.
  expect(report.next_at).toMatch(/T0[45]:00:00\.000Z$/);
  expect([new Date(report.next_at).getUTCDay(), Date.parse(report.next_at) > Date.now()]).toEqual([1, true]);
  expect(report.last_job).toMatchObject({ id: expect.stringMatching(/^\d+$/), state: "ready" });
  expect(yearly).toMatchObject({
    name: "yearly",
    cron: "@yearly",
    time_zone: "UTC",
    words: "on day 1 of January at 00:00 (UTC)",
    missed: "skip",
    paused: false,
    last_at: null,
    last_job: null,
    next_at: nextYear,
  });
  expect(yearly.next_times).toHaveLength(3);
  const shown = await postern(["schedules", "list"]);
  expect(shown.out.split("\n")).toEqual([
    "SCHEDULE\tTIMES\tPAUSED\tLAST\tLAST JOB\tNEXT",
    `report\tevery Monday at 06:00 (Europe/Berlin)\tno\t${report.last_at}\tready (${report.last_job.id})\t${report.next_at}`,
    `yearly\ton day 1 of January at 00:00 (UTC)\tno\t-\t-\t${nextYear}`,
    "",
  ]);
});

test("postern schedules pauses, resumes and runs one, and the next command sees it", async () => {
  writeFileSync(
    join(directory, "postern.config.mjs"),
    `import { defineConfig, schedule } from "@postern/server";
     export default defineConfig({ schedules: [schedule("report", "@daily", async () => {})] });`,
  );
  await postern(["migrate"]);
  const read = async () => JSON.parse((await postern(["schedules", "list", "--json"])).out).items[0];
  expect((await postern(["schedules", "pause", "report", "--note", "moving"])).out).toBe(
    "Schedule report is paused.\n",
  );
  expect(await read()).toMatchObject({ paused: true, note: "moving", next_at: null });
  const run = await postern(["schedules", "run", "report"]);
  expect(run.out).toMatch(/^Job \d+ runs report now\. Look: postern jobs show \d+\n$/);
  expect((await read()).last_job).toMatchObject({ state: "ready" });
  expect((await postern(["schedules", "resume", "report"])).out).toBe("Schedule report is not paused.\n");
  expect(await read()).toMatchObject({ paused: false, note: null, next_at: expect.any(String) });
  expect(await postern(["schedules", "pause", "reports"])).toMatchObject({
    code: 3,
    err: expect.stringContaining("There is no such schedule."),
  });
});
