import { AppError } from "@postern/core";
import { virtualClock } from "@postern/core/memory";
import { describe, expect, test } from "vitest";
import { groupCommit } from "../src/group-commit.ts";

const limits = { items: 10, waiting: 20 };

/** Flushes wait until they are let go, one after the other. */
const gated = (flush: (items: readonly number[]) => Promise<readonly number[]>) => {
  const seen: number[][] = [];
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const submit = groupCommit<number, number>(async (items) => {
    seen.push([...items]);
    await gate;
    return flush(items);
  }, limits);
  return { seen, submit, open: () => open() };
};

test("flushes a lone item at once and collects while a flush is under way", async () => {
  const { seen, submit, open } = gated(async (items) => items.map((item) => item * 2));
  const results = [1, 2, 3].map(submit);
  open();
  expect(await Promise.all(results)).toEqual([2, 4, 6]);
  expect(seen).toEqual([[1], [2, 3]]);
});

test("a flush takes what comes before `together` has resolved", async () => {
  const seen: number[][] = [];
  const flush = async (items: readonly number[]) => {
    seen.push([...items]);
    return items;
  };
  const together = () => new Promise<void>((resolve) => void setImmediate(resolve));
  const submit = groupCommit<number, number>(flush, { ...limits, flushes: 2, together });
  const first = submit(1);
  await undefined;
  const second = submit(2);
  expect(await Promise.all([first, second])).toEqual([1, 2]);
  expect(await submit(3)).toBe(3);
  expect(seen).toEqual([[1, 2], [3]]);
});

test("does not fail the neighbours of a bad item", async () => {
  const { submit, open } = gated(async (items) => {
    if (items.includes(3)) throw new Error("bad item");
    return items;
  });
  const results = Promise.allSettled([1, 2, 3, 4].map(submit));
  open();
  expect((await results).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
});

test("fails a whole batch at once when the store is away", async () => {
  const { seen, submit, open } = gated(() => Promise.reject(new AppError("unavailable")));
  const results = Promise.allSettled([1, 2, 3, 4].map(submit));
  open();
  expect((await results).every(({ status }) => status === "rejected")).toBe(true);
  expect(seen).toEqual([[1], [2, 3, 4]]);
});

test("refuses what would wait beyond the limit", async () => {
  const { submit, open } = gated(async (items) => items);
  const results = Promise.allSettled(Array.from({ length: 22 }, (_, n) => submit(n)));
  open();
  const settled = await results;
  expect(settled.filter(({ status }) => status === "rejected")).toHaveLength(1);
  expect(settled.at(-1)).toMatchObject({ reason: { code: "overloaded" } });
});

test("finds the one bad item of many in few flushes", async () => {
  const { seen, submit, open } = gated(async (items) => {
    if (items.includes(7)) throw new Error("bad item");
    return items;
  });
  const results = Promise.allSettled(Array.from({ length: 9 }, (_, n) => submit(n)));
  open();
  expect((await results).flatMap(({ status }, n) => (status === "rejected" ? [n] : []))).toEqual([7]);
  expect(seen.length).toBe(8);
});

test("keeps as many flushes under way as it may, and no more", async () => {
  const batches: number[][] = [];
  const gates: (() => void)[] = [];
  const submit = groupCommit<number, number>(
    async (items) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => gates.push(resolve));
      return items;
    },
    { ...limits, flushes: 2 },
  );
  const results = [1, 2, 3, 4].map(submit);
  expect(batches).toEqual([[1], [2]]);
  gates[1]?.();
  expect(await results[1]).toBe(2);
  await expect.poll(() => batches.length, { timeout: 10_000 }).toBe(3);
  for (const open of gates) open();
  expect(await Promise.all(results)).toEqual([1, 2, 3, 4]);
  expect(batches).toEqual([[1], [2], [3, 4]]);
});

test("lets nobody wait longer than they may, and takes the late item all the same", async () => {
  const clock = virtualClock();
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const seen: number[] = [];
  const submit = groupCommit<number, number>(
    async (items) => {
      await opened;
      seen.push(...items);
      return items;
    },
    { ...limits, patience: { clock, ms: 100, tooLate: () => new Error("too late") } },
  );
  const early = [1, 2].map(submit);
  const refused = Promise.allSettled(early);
  await clock.advance(60);
  const later = submit(3);
  await clock.advance(40);
  expect(await refused).toMatchObject([{ reason: { message: "too late" } }, { reason: { message: "too late" } }]);
  open();
  expect(await later).toBe(3);
  expect(seen).toEqual([1, 2, 3]);
  expect(clock.pendingTimers()).toBe(0);
});

test("names the items that are refused, or whose callers wait no longer", async () => {
  const clock = virtualClock();
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const gone: number[] = [];
  const submit = groupCommit<number, number>(
    async (items) => {
      await opened;
      return items;
    },
    {
      items: 10,
      waiting: 1,
      patience: { clock, ms: 100, tooLate: () => new Error("too late") },
      gone: (item) => gone.push(item),
    },
  );
  const results = Promise.allSettled([1, 2, 3].map(submit));
  expect(gone).toEqual([3]);
  await clock.advance(100);
  expect(gone).toEqual([3, 1, 2]);
  open();
  await results;
  expect(clock.pendingTimers()).toBe(0);
});

test("does not count as waiting what the event loop was held up", async () => {
  const virtual = virtualClock();
  let heldUpMs = 0;
  const clock = { ...virtual, monotonic: () => virtual.monotonic() + heldUpMs };
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const submit = groupCommit<number, number>(
    async (items) => {
      await opened;
      return items;
    },
    { ...limits, patience: { clock, ms: 400, tooLate: () => new Error("too late") } },
  );
  const first = submit(1);
  const late = expect(first).rejects.toThrow("too late");
  await virtual.advance(100);
  const second = submit(2);
  heldUpMs = 10_000;
  await virtual.advance(175);
  await late;
  open();
  expect(await second).toBe(2);
});

describe("after a large flush the next one", () => {
  const gathering = () => {
    const clock = virtualClock();
    const seen: number[][] = [];
    const submit = groupCommit<number, number>(
      async (items) => {
        seen.push([...items]);
        return items;
      },
      { items: 6, waiting: 20, gather: { clock, from: 3, ms: 10, slowMs: 50 } },
    );
    return { clock, seen, all: (items: readonly number[]) => Promise.all(items.map(submit)) };
  };

  test("waits for as many items as were there before", async () => {
    const { clock, seen, all } = gathering();
    await all([1, 2, 3, 4]);
    const next = [all([5]), all([6]), all([7])];
    expect(await Promise.all(next)).toEqual([[5], [6], [7]]);
    expect(seen).toEqual([[1], [2, 3, 4], [5, 6, 7]]);
    await clock.advance(10);
    expect(clock.pendingTimers()).toBe(0);
  });

  test("waits no longer than it may, and then a lone item is flushed at once", async () => {
    const { clock, seen, all } = gathering();
    await all([1, 2, 3, 4]);
    const next = all([5]);
    await clock.advance(9);
    expect(seen).toHaveLength(2);
    await clock.advance(1);
    expect(await next).toEqual([5]);
    expect(await all([6])).toEqual([6]);
    expect(seen).toEqual([[1], [2, 3, 4], [5], [6]]);
  });

  test("takes with it what comes in the moment in which its wait ends", async () => {
    const { clock, seen, all } = gathering();
    await all([1, 2, 3, 4]);
    const next = [all([5])];
    clock.after(10, () => next.push(all([6])));
    await clock.advance(10);
    await Promise.all(next);
    expect(seen).toEqual([[1], [2, 3, 4], [5, 6]]);
    expect(clock.pendingTimers()).toBe(0);
  });

  test("starts when it is full", async () => {
    const { seen, all } = gathering();
    await all([1, 2, 3, 4, 5, 6, 7]);
    await all([8, 9, 10, 11, 12, 13]);
    expect(seen).toEqual([[1], [2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13]]);
  });

  test("has a further flush under way only when one is slow", async () => {
    const clock = virtualClock();
    const seen: number[][] = [];
    const gates: (() => void)[] = [];
    const submit = groupCommit<number, number>(
      async (items) => {
        seen.push([...items]);
        await new Promise<void>((resolve) => gates.push(resolve));
        return items;
      },
      { items: 6, waiting: 20, flushes: 2, gather: { clock, from: 3, ms: 10, slowMs: 50 } },
    );
    const all = [1, 2, 3].map(submit);
    await clock.advance(49);
    expect(seen).toEqual([[1]]);
    await clock.advance(1);
    expect(seen).toEqual([[1], [2, 3]]);
    all.push(submit(4));
    await clock.advance(100);
    expect(seen).toHaveLength(2);
    gates[1]?.();
    expect(await all[2]).toBe(3);
    await clock.advance(0);
    expect(seen).toEqual([[1], [2, 3], [4]]);
    for (const open of gates) open();
    expect(await Promise.all(all)).toEqual([1, 2, 3, 4]);
    await clock.advance(50);
    expect(clock.pendingTimers()).toBe(0);
  });

  test("does not leave an item to a flush that hangs, though a faster one ended meanwhile", async () => {
    const clock = virtualClock();
    const gates: (() => void)[] = [];
    const submit = groupCommit<number, number>(
      async (items) => {
        await new Promise<void>((resolve) => gates.push(resolve));
        return items;
      },
      { items: 6, waiting: 20, flushes: 2, gather: { clock, from: 3, ms: 10, slowMs: 50 } },
    );
    const hanging = submit(1);
    const second = submit(2);
    await clock.advance(50);
    gates[1]?.();
    expect(await second).toBe(2);
    const third = submit(3);
    await clock.advance(50);
    gates[2]?.();
    expect(await third).toBe(3);
    gates[0]?.();
    expect(await hanging).toBe(1);
  });
});
