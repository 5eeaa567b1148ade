import { performance } from "node:perf_hooks";
import { rejectsWith } from "@postern/core/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { hashesAtOnce, hashesInLine, restFor } from "../src/argon-password-hasher.ts";
import { argonPasswordHasher } from "../src/index.ts";

const cheap = { memoryCost: 64, timeCost: 1 };
const medianOf = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

describe("argonPasswordHasher", () => {
  test("uses argon2id with 19 MiB and two passes, and says so in the hash", async () => {
    expect(await argonPasswordHasher().hash("secret")).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/,
    );
  });

  test("leaves a processor for everything else, and takes two where there are more", () => {
    expect([1, 2, 3, 64].map(hashesAtOnce)).toEqual([1, 1, 2, 2]);
  });

  test("rests for as long as the event loop was busy during a hash, where there are few processors", async () => {
    expect([3, 64].map(restFor)).toEqual([undefined, undefined]);
    const restMs = restFor(2)?.();
    const startMs = performance.now();
    while (performance.now() - startMs < 20);
    const busyMs = restMs?.() ?? 0;
    expect(busyMs).toBeGreaterThan(19);
    expect(busyMs).toBeLessThanOrEqual(performance.now() - startMs + 1);
  });

  test("verifies the reference implementation's known answer (phc-winner-argon2, src/test.c)", async () => {
    const known = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    const hasher = argonPasswordHasher();
    expect(await hasher.verify("password", known)).toBe(true);
    expect(await hasher.verify("Password", known)).toBe(false);
    expect(hasher.isOutdated(known)).toBe(true);
  });

  test("finds hashes outdated that were made with other parameters", async () => {
    const hash = await argonPasswordHasher(cheap).hash("secret");
    expect(argonPasswordHasher(cheap).isOutdated(hash)).toBe(false);
    for (const other of [{ memoryCost: 65 }, { timeCost: 2 }, { parallelism: 2 }]) {
      expect(argonPasswordHasher({ ...cheap, ...other }).isOutdated(hash)).toBe(true);
    }
    expect(await argonPasswordHasher().verify("secret", hash)).toBe(true);
  });

  test("does not touch a hash that would take the machine down", async () => {
    const huge = "$argon2id$v=19$m=4000000,t=2,p=1$c29tZXNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g";
    expect(await argonPasswordHasher().verify("secret", huge)).toBe(false);
  });

  test("lets 400 wait, 40 of a network, and refuses the next with `overloaded` and Retry-After", async () => {
    const hasher = argonPasswordHasher({ ...cheap, concurrency: 2 });
    const networks = Array.from({ length: 10 }, (_, n) => ({ network: `192.0.2.${n}` }));
    const running = [1, 2].map(() => hasher.hash("secret"));
    const waiting = networks
      .slice(0, 9)
      .flatMap((from) => Array.from({ length: 40 }, () => hasher.hash("secret", from)));
    await rejectsWith("overloaded", () => hasher.verify("secret", "", networks[0]));
    waiting.push(...Array.from({ length: 40 }, () => hasher.hash("secret", networks[9])));
    const error = await rejectsWith("overloaded", () => hasher.hash("secret", { network: "192.0.2.100" }));
    expect(error.headers["retry-after"]).toBe("2");
    expect(new Set(await Promise.all([...running, ...waiting])).size).toBe(402);
    expect(await hasher.verify("secret", await hasher.hash("secret"))).toBe(true);
  });

  test("serves a lone caller before the rest of a network that floods it", async () => {
    const hasher = argonPasswordHasher({ ...cheap, concurrency: 1 });
    const ended: string[] = [];
    const note = (name: string) => () => void ended.push(name);
    const flood = Array.from({ length: 10 }, () => hasher.verify("secret", undefined, { network: "192.0.2.1" }));
    const all = flood.map((one) => one.then(note("flood")));
    all.push(hasher.hash("secret", { network: "192.0.2.2" }).then(note("hash")));
    all.push(hasher.verify("secret", undefined, { network: "192.0.2.3" }).then(note("verify")));
    await Promise.all(all);
    expect(ended.indexOf("hash")).toBe(2);
    expect(ended.indexOf("verify")).toBe(3);
  });

  test("frees the place of a hash that failed", async () => {
    const hasher = argonPasswordHasher({ memoryCost: 1, timeCost: 1, concurrency: 1 });
    for (let attempt = 0; attempt < 3; attempt++) await expect(hasher.hash("secret")).rejects.not.toThrow(/Too busy/);
  });

  test("rests after a hash while others wait, and those who come in a rest overtake nobody", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const run = hashesInLine(1, () => () => 20);
    const done: string[] = [];
    const all = ["first", "second"].map((name) => run(async () => void done.push(name)));
    await vi.advanceTimersByTimeAsync(19);
    expect(done).toEqual(["first"]);
    all.push(run(async () => void done.push("late")));
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toEqual(["first", "second"]);
    await vi.advanceTimersByTimeAsync(20);
    await Promise.all(all);
    expect(done).toEqual(["first", "second", "late"]);
    // Nobody waits for what the last one took.
    expect(vi.getTimerCount()).toBe(0);
    await run(async () => void done.push("alone"));
  });

  test("takes as long for an account that does not exist", async () => {
    const hasher = argonPasswordHasher();
    const hash = await hasher.hash("secret");
    const known: number[] = [];
    const unknown: number[] = [];
    for (let round = 0; round < 11; round++) {
      for (const [times, stored] of [
        [known, hash],
        [unknown, undefined],
      ] as const) {
        const start = performance.now();
        await hasher.verify("wrong", stored);
        times.push(performance.now() - start);
      }
    }
    const ratio = medianOf(unknown) / medianOf(known);
    // Far wider than a shared machine's noise, far narrower than the difference that leaving out
    // the work would make.
    expect(ratio).toBeGreaterThan(0.4);
    expect(ratio).toBeLessThan(2.5);
  });
});
