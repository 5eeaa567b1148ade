import { describe, expect, onTestFinished, test, vi } from "vitest";
import { boundedPool } from "../src/bounded-pool.ts";

describe("boundedPool", () => {
  test("runs no more than its concurrency at once, first come, first served", async () => {
    const run = boundedPool({ concurrency: 2, queue: 10, retryAfterSeconds: 1 });
    const order: number[] = [];
    let running = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 10 }, (_, number) =>
        run(async () => {
          order.push(number);
          running += 1;
          most = Math.max(most, running);
          await Promise.resolve();
          running -= 1;
        }),
      ),
    );
    expect(most).toBe(2);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("goes on after a task that failed", async () => {
    const run = boundedPool({ concurrency: 1, queue: 1, retryAfterSeconds: 1 });
    const failed = run(() => Promise.reject(new Error("task")));
    const next = run(async () => "next");
    await expect(failed).rejects.toThrow("task");
    expect(await next).toBe("next");
  });

  test("leaves the place of a task empty for as long as it says", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const rests = [20, 0.5];
    const restAfter = () => () => rests.shift() ?? 0;
    const run = boundedPool({ concurrency: 1, queue: 3, retryAfterSeconds: 1, restAfter });
    const done: string[] = [];
    const all = ["first", "second", "third"].map((name) => run(async () => void done.push(name)));
    await vi.advanceTimersByTimeAsync(19);
    expect(done).toEqual(["first"]);
    const late = run(async () => void done.push("late"));
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all([...all, late]);
    expect(done).toEqual(["first", "second", "third", "late"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("leaves no place empty that nobody waits for", async () => {
    const run = boundedPool({ concurrency: 1, queue: 0, retryAfterSeconds: 1, restAfter: () => () => 60_000 });
    for (const number of [1, 2, 3]) expect(await run(async () => number)).toBe(number);
  });

  test("has all its places again once nobody waits", async () => {
    const run = boundedPool({ concurrency: 1, queue: 0, retryAfterSeconds: 1 });
    for (const number of [1, 2, 3]) expect(await run(async () => number)).toBe(number);
  });

  /**
   * A busy pool that runs one task at a time, and the order in which waiting tasks are served or
   * refused.
   */
  const line = (bounds: { readonly queue: number; readonly queueOfNetwork?: number }) => {
    const run = boundedPool({ concurrency: 1, retryAfterSeconds: 7, ...bounds });
    const served: string[] = [];
    const refused: string[] = [];
    let release = (): void => undefined;
    const busy = new Promise<void>((resolve) => {
      release = resolve;
    });
    const all = [run(() => busy)];
    const enter = (name: string, network: string): void => {
      const task = run(async () => void served.push(name), network);
      all.push(task.catch(({ code, headers }) => void refused.push(`${name} ${code} ${headers["retry-after"]}`)));
    };
    const end = async () => {
      release();
      await Promise.all(all);
      return { served, refused: refused.sort() };
    };
    return { enter, end };
  };

  test("serves the networks in rotation, one task of each", async () => {
    const { enter, end } = line({ queue: 10 });
    for (const name of ["a1", "a2", "a3", "a4"]) enter(name, "a");
    for (const name of ["b1", "b2"]) enter(name, "b");
    enter("c1", "c");
    expect(await end()).toEqual({ served: ["a1", "b1", "c1", "a2", "b2", "a3", "a4"], refused: [] });
  });

  test("refuses a task at once when too many of its network wait, while others may", async () => {
    const { enter, end } = line({ queue: 10, queueOfNetwork: 2 });
    for (const name of ["a1", "a2", "a3"]) enter(name, "a");
    enter("b1", "b");
    expect(await end()).toEqual({ served: ["a1", "b1", "a2"], refused: ["a3 overloaded 7"] });
  });

  test("gives the last place of the longest line to a network with few waiting tasks", async () => {
    const { enter, end } = line({ queue: 4 });
    for (const name of ["a1", "a2", "a3"]) enter(name, "a");
    for (const name of ["b1", "b2", "b3"]) enter(name, "b");
    // Now each line has two tasks. A third task in either gets no place, but a task of a third network
    // does.
    for (const [name, network] of [
      ["a4", "a"],
      ["c1", "c"],
      ["c2", "c"],
      ["d1", "d"],
    ] as const)
      enter(name, network);
    expect(await end()).toEqual({
      served: ["a1", "b1", "c1", "d1"],
      refused: ["a2", "a3", "a4", "b2", "b3", "c2"].map((name) => `${name} overloaded 7`),
    });
  });

  test("refuses a task at once when it has no room, and says when to try again", async () => {
    const run = boundedPool({ concurrency: 1, queue: 1, retryAfterSeconds: 7 });
    const both = [run(async () => 1), run(async () => 2)];
    await expect(run(async () => 3)).rejects.toMatchObject({ code: "overloaded", headers: { "retry-after": "7" } });
    expect(await Promise.all(both)).toEqual([1, 2]);
  });
});
