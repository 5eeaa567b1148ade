import { describe, expect, test } from "vitest";
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

  test("has all its places again once nobody waits", async () => {
    const run = boundedPool({ concurrency: 1, queue: 0, retryAfterSeconds: 1 });
    for (const number of [1, 2, 3]) expect(await run(async () => number)).toBe(number);
  });

  test("refuses at once whom it has no room for, and says when to come again", async () => {
    const run = boundedPool({ concurrency: 1, queue: 1, retryAfterSeconds: 7 });
    const both = [run(async () => 1), run(async () => 2)];
    await expect(run(async () => 3)).rejects.toMatchObject({ code: "overloaded", headers: { "retry-after": "7" } });
    expect(await Promise.all(both)).toEqual([1, 2]);
  });
});
