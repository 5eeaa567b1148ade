import { AppError } from "@postern/core";
import { type MemoryPorts, memoryPorts } from "@postern/core/memory";
import type { AcceptOutcome, NewEvent } from "@postern/core/ports";
import { newEvent } from "@postern/core/testing";
import { createLocalHandoff } from "@postern/jobs/internal";
import { expect, test } from "vitest";
import { createEventAcceptor } from "../src/event-acceptor.ts";

type Accept = (events: readonly NewEvent[]) => Promise<readonly AcceptOutcome[]>;

/** An acceptor whose store does what `accept` says; `batches` are what it was given. */
const withStore = (accept: (real: Accept, events: readonly NewEvent[]) => ReturnType<Accept>) => {
  const ports = memoryPorts();
  const batches: NewEvent[][] = [];
  const events = {
    ...ports.storage.events,
    accept: (batch: readonly NewEvent[]) => {
      batches.push([...batch]);
      return accept(ports.storage.events.accept, batch);
    },
  };
  const scene: MemoryPorts = { ...ports, storage: { ...ports.storage, events } };
  return { acceptor: createEventAcceptor(scene, createLocalHandoff()), ports: scene, batches };
};

/** Holds every flush back until it is opened. */
const gate = () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
};

test("stores deliveries of one event that wait together as one, and counts them", async () => {
  const { open, opened } = gate();
  const { acceptor, batches, ports } = withStore(async (real, events) => {
    await opened;
    return real(events);
  });
  const first = acceptor.accept(newEvent("evt_busy"));
  const copies = Array.from({ length: 10_000 }, () => acceptor.accept(newEvent("evt_1")));
  open();
  const outcomes = await Promise.all(copies);
  const { id } = await first;
  expect(batches.map((batch) => batch.length)).toEqual([1, 1]);
  expect(outcomes.filter(({ outcome }) => outcome === "accepted")).toHaveLength(1);
  expect(new Set(outcomes.map((outcome) => outcome.id)).size).toBe(1);
  expect(outcomes.at(-1)).toEqual({ outcome: "duplicate", id: outcomes[0]?.id, sameBody: true });
  expect((await ports.storage.events.find(outcomes[0]?.id ?? 0))?.repeats).toBe(9_999);
  expect((await ports.storage.events.find(id))?.repeats).toBe(0);
});

test("does not take another body under the same id for the same delivery", async () => {
  const { open, opened } = gate();
  const { acceptor } = withStore(async (real, events) => {
    await opened;
    return real(events);
  });
  const outcomes = [
    acceptor.accept(newEvent("evt_0")),
    acceptor.accept(newEvent("evt_1")),
    acceptor.accept(newEvent("evt_1", { bodySha256: "b".repeat(64) })),
  ];
  open();
  expect((await Promise.all(outcomes)).slice(1)).toEqual([
    { outcome: "accepted", id: expect.any(Number) },
    { outcome: "duplicate", id: expect.any(Number), sameBody: false },
  ]);
});

test("bounds a flush and what waits by bytes, too", async () => {
  const { open, opened } = gate();
  const { acceptor, batches } = withStore(async (real, events) => {
    await opened;
    return real(events);
  });
  const mebibyte = 1024 * 1024;
  const body = new Uint8Array(mebibyte);
  const settled = Promise.allSettled(
    Array.from({ length: 66 }, (_, n) => acceptor.accept(newEvent(`evt_${n}`, { body }))),
  );
  open();
  const refused = (await settled).filter(({ status }) => status === "rejected");
  // One was under way and 64 MiB waited.
  expect(refused).toEqual([expect.objectContaining({ reason: expect.objectContaining({ code: "overloaded" }) })]);
  expect(new Set(batches.map((batch) => batch.length))).toEqual(new Set([1, 4]));
});

test("long events are stored one after the other, and no other event waits for them", async () => {
  const { open, opened } = gate();
  const isLong = ({ body }: NewEvent): boolean => body.length > 256 * 1024;
  const { acceptor, batches } = withStore(async (real, events) => {
    if (events.some(isLong)) await opened;
    return real(events);
  });
  const body = new Uint8Array(5 * 1024 * 1024);
  const long = ["evt_long", "evt_next"].map((id) => acceptor.accept(newEvent(id, { body })));
  expect(await acceptor.accept(newEvent("evt_short"))).toMatchObject({ outcome: "accepted" });
  expect(batches.flat().filter(isLong)).toHaveLength(1);
  open();
  expect(await Promise.all(long)).toMatchObject([{ outcome: "accepted" }, { outcome: "accepted" }]);
});

test("waits for four and a half seconds, and no longer", async () => {
  const { acceptor, ports } = withStore(() => new Promise(() => undefined));
  const refused = expect(acceptor.accept(newEvent("evt_short"))).rejects.toMatchObject({ code: "unavailable" });
  let isRefused = false;
  void refused.then(() => {
    isRefused = true;
  });
  for (let turn = 0; turn < 44; turn += 1) await ports.clock.advance(100);
  expect(isRefused).toBe(false);
  for (let turn = 0; turn < 3; turn += 1) await ports.clock.advance(100);
  await refused;
});

test("lets a burst of two thousand wait while a commit is slow", async () => {
  const { open, opened } = gate();
  const { acceptor, ports } = withStore(async (real, events) => {
    await opened;
    return real(events);
  });
  const first = acceptor.accept(newEvent("evt_first"));
  await ports.clock.advance(501);
  const burst = Array.from({ length: 2_000 }, (_, n) => acceptor.accept(newEvent(`evt_${n}`)));
  open();
  expect(await first).toMatchObject({ outcome: "accepted" });
  for (const { outcome } of await Promise.all(burst)) expect(outcome).toBe("accepted");
});

test("waits twice as long for a long event", async () => {
  const { acceptor, ports } = withStore(() => new Promise(() => undefined));
  const refused = expect(
    acceptor.accept(newEvent("evt_long", { body: new Uint8Array(300 * 1024) })),
  ).rejects.toMatchObject({ code: "unavailable" });
  let isRefused = false;
  void refused.then(() => {
    isRefused = true;
  });
  for (let turn = 0; turn < 89; turn += 1) await ports.clock.advance(100);
  expect(isRefused).toBe(false);
  for (let turn = 0; turn < 3; turn += 1) await ports.clock.advance(100);
  await refused;
});

test("answers in time when the store hangs, and turns the rest away at once", async () => {
  const { open, opened } = gate();
  const { acceptor, ports } = withStore(async (real, events) => {
    await opened;
    return real(events);
  });
  const early = Promise.allSettled(Array.from({ length: 2_600 }, (_, n) => acceptor.accept(newEvent(`evt_${n}`))));
  await ports.clock.advance(501);
  await expect(acceptor.accept(newEvent("evt_late"))).rejects.toMatchObject({
    code: "overloaded",
    headers: { "retry-after": "1" },
  });
  expect(acceptor.fault).toBeUndefined();
  await ports.clock.advance(3_999);
  const settled = await early;
  expect(settled.every((one) => one.status === "rejected" && one.reason.code === "unavailable")).toBe(true);
  expect(acceptor.fault).toMatchObject({ code: "unavailable", headers: { "retry-after": "1" } });
  open();
  await ports.clock.advance(0);
  expect(acceptor.fault).toBeUndefined();
  // The event landed late, so sending it again is a repeat.
  expect(await acceptor.accept(newEvent("evt_7"))).toMatchObject({ outcome: "duplicate", sameBody: true });
  expect(ports.clock.pendingTimers()).toBe(0);
});

test("has a fault from the first write that failed to the first that worked", async () => {
  let away = true;
  const { acceptor, ports } = withStore((real, events) =>
    away ? Promise.reject(new AppError("unavailable")) : real(events),
  );
  await expect(acceptor.accept(newEvent("evt_1"))).rejects.toMatchObject({ code: "unavailable" });
  await expect(acceptor.accept(newEvent("evt_1"))).rejects.toMatchObject({ code: "unavailable" });
  expect(acceptor.fault?.code).toBe("unavailable");
  away = false;
  await acceptor.accept(newEvent("evt_1"));
  expect(acceptor.fault).toBeUndefined();
  expect(ports.telemetry.entries.map(({ message }) => message)).toEqual([
    "events cannot be stored at the moment",
    "events can be stored again",
  ]);
});
