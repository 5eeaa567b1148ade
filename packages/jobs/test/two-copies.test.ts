import * as core from "@postern/core";
import { memoryPorts, virtualClock } from "@postern/core/memory";
import * as own from "@postern/jobs";
import { expect, test, vi } from "vitest";
import { afterFailure, snoozed } from "../src/failure.ts";

/** A copy with classes of its own, as of an application that has the package twice. */
const otherCopy = async (): Promise<typeof own & typeof core> => {
  vi.resetModules();
  const other = { ...(await import("@postern/core")), ...(await import("@postern/jobs")) };
  expect(other.Permanent).not.toBe(own.Permanent);
  return other;
};

const ports = memoryPorts({ clock: virtualClock(1_000) });
const retry = { delaysMs: [5_000] };
const job = { attempt: 1, maxAttempts: 200 } as Parameters<typeof afterFailure>[1];
const end = (thrown: unknown) => afterFailure(ports, job, retry, thrown);

test("what a handler throws means the same when another copy of the package made it", async () => {
  const other = await otherCopy();
  expect(end(new other.Permanent("never"))).toMatchObject({ to: "dead", error: "Permanent: never" });
  expect(end(new other.RetryAt(9_000, "later"))).toMatchObject({ to: "scheduled", at: 9_000, error: "RetryAt: later" });
  expect(snoozed(new other.Snooze(5_000), 1_000)).toEqual({ to: "snoozed", at: 6_000 });
});

test("`instanceof` knows the errors of another copy, and keeps kinds and subclasses apart", async () => {
  const other = await otherCopy();
  expect(new other.AppError("not_found")).toBeInstanceOf(core.AppError);
  expect(new other.LeaseLost("lost")).toBeInstanceOf(own.LeaseLost);
  expect(new other.DeclarationError([])).toBeInstanceOf(core.DeclarationError);
  expect(new other.Permanent("never")).not.toBeInstanceOf(own.Snooze);
  class Gone extends own.Permanent {}
  expect(new Gone("gone")).toBeInstanceOf(own.Permanent);
  expect(new own.Permanent("never")).not.toBeInstanceOf(Gone);
  for (const value of [undefined, null, "Permanent", new Error("no"), { name: "Permanent" }]) {
    expect(value).not.toBeInstanceOf(own.Permanent);
  }
});
