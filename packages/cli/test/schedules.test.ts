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
  expect(yearly).toEqual({
    name: "yearly",
    cron: "@yearly",
    time_zone: "UTC",
    missed: "skip",
    last_at: null,
    next_at: nextYear,
  });
  const shown = await postern(["schedules", "list"]);
  expect(shown.out).toBe(
    `SCHEDULE\tCRON\tTIME ZONE\tLAST\tNEXT\nreport\t0 6 * * 1\tEurope/Berlin\t${report.last_at}\t${report.next_at}\nyearly\t@yearly\tUTC\t-\t${nextYear}\n`,
  );
});
