import { noCounts } from "@postern/core/internal";
import { compose, readConfig } from "@postern/server";
import { expect, test } from "vitest";
import { sparkline } from "../src/commands/counts.ts";
import { environment, postern } from "./command-line.ts";

test("postern counts shows what happened, minute by minute", async () => {
  await postern(["migrate"]);
  const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
  const minute = Date.now() - (Date.now() % 60_000);
  const bucket = { ...noCounts, step: "minute", provider: "*", at: minute - 120_000 } as const;
  await storage.counts.add([
    { ...bucket, received: 7, processed: 6 },
    { ...bucket, at: minute, received: 1, refused: 2 },
    { ...bucket, provider: "stripe", received: 5 },
  ]);
  await close();
  const shown = JSON.parse((await postern(["counts", "--json"])).out);
  expect(shown).toMatchObject({ step: "minute", provider: null, total: { received: 8, refused: 2, processed: 6 } });
  expect(shown.items.map(({ received }: { received: number }) => received)).toEqual([7, 1]);
  const stripe = await postern(["counts", "--provider", "stripe", "--since", "10m", "--jsonl"]);
  expect(
    stripe.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).received),
  ).toEqual([5]);
  const senders = JSON.parse((await postern(["counts", "--by-provider", "--json"])).out);
  expect(senders).toMatchObject({ step: "minute", complete: true, items: [{ provider: "stripe", received: 5 }] });
  expect((await postern(["counts", "--by-provider"])).out).toContain("\nstripe\t5\t0\t0\t0\t0\t0\t0\t-\n");
  expect((await postern(["counts", "--by-provider", "--provider", "stripe"])).code).toBe(2);
  const { out } = await postern(["counts"]);
  expect(out).toMatch(/^\S+Z\t7\t0\t0\t0\t6\t0\t0\t-\t0$/m);
  expect(out).toMatch(/^\S+Z \(still filling\)\t1\t2\t/m);
  expect((await postern(["counts", "--step", "week"])).code).toBe(2);
  expect((await postern(["counts", "--since", "2d", "--step", "minute"])).code).toBe(2);
});

test("bars are as high as their share of the highest, and neighbours share one if there are many", () => {
  expect(sparkline([0, 1, 4, 8])).toBe(" ▁▄█");
  expect(sparkline([0, 0])).toBe("  ");
  expect(sparkline(Array.from({ length: 120 }, () => 1))).toBe("█".repeat(60));
  expect(sparkline([0, 1_000_000, 1])).toBe(" █▁");
});
