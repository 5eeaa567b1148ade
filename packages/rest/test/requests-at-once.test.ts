import { rejectsWith } from "@postern/core/testing";
import { expect, test } from "vitest";
import { createRequestsAtOnce } from "../src/limits/requests-at-once.ts";

/** Work that ends when it is told to. */
const scene = (limit = { running: 2, waiting: 2 }) => {
  const atOnce = createRequestsAtOnce(limit);
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const run = (caller: string, name: string): Promise<string> =>
    atOnce.run(caller, () => {
      begun.push(name);
      return new Promise((resolve, reject) => {
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
      });
    });
  return { run, begun, end: (name: string, error?: Error) => ends.get(name)?.(error) };
};

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("answers a caller's requests a few at a time, in their order, and refuses those beyond the line", async () => {
  const { run, begun, end } = scene();
  const all = ["1", "2", "3", "4"].map((name) => run("ada", name));
  const error = await rejectsWith("rate_limited", () => run("ada", "5"));
  expect(error.headers["retry-after"]).toBe("1");
  expect(begun).toEqual(["1", "2"]);
  end("2");
  await settled();
  expect(begun).toEqual(["1", "2", "3"]);
  for (const name of ["1", "3"]) end(name);
  await settled();
  end("4");
  expect(await Promise.all(all)).toEqual(["1", "2", "3", "4"]);
});

test("does not let one caller wait for another", async () => {
  const { run, begun } = scene();
  for (const name of ["1", "2", "3"]) void run("ada", name);
  void run("bob", "b");
  await settled();
  expect(begun).toEqual(["1", "2", "b"]);
});

test("a request that fails gives its place to the next", async () => {
  const { run, begun, end } = scene({ running: 1, waiting: 1 });
  const first = run("ada", "1");
  const second = run("ada", "2");
  await settled();
  end("1", new Error("no"));
  await expect(first).rejects.toThrow("no");
  await settled();
  expect(begun).toEqual(["1", "2"]);
  end("2");
  await second;
  const third = run("ada", "3");
  await settled();
  expect(begun).toEqual(["1", "2", "3"]);
  end("3");
  await third;
});
