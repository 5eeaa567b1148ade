import { user } from "@postern/app";
import { idNumber, userRow } from "@postern/core/testing";
import { expect, test } from "vitest";
import { type WriteTurnLimits, writeTurns } from "../src/mysql/write-turns.ts";
import { mariadb, onMariadb } from "./databases.ts";

const all = { where: { all: [] }, reason: "test" };

/** Transactions that end when they are told to. `begun` holds the networks of all that began. */
const scene = (limits: Partial<WriteTurnLimits> = {}) => {
  const turns = writeTurns({ atOnce: 4, longAtOnce: 2, waiting: 100, waitMs: 5000, ...limits });
  const begun: string[] = [];
  const write = (network: string) => {
    let end = (_bytes: number): void => undefined;
    const done = turns.run(network, (note) => {
      begun.push(network);
      return new Promise<void>((resolve) => {
        end = (bytes) => {
          note(bytes);
          resolve();
        };
      });
    });
    return {
      done,
      end: (bytes = 10): Promise<void> => {
        end(bytes);
        return done;
      },
    };
  };
  return { begun, write };
};

const long = 200_000;
const settled = () => new Promise(setImmediate);

test("networks take turns at the connections", async () => {
  const { begun, write } = scene({ atOnce: 1 });
  const crowd = Array.from({ length: 3 }, () => write("crowd"));
  const lone = write("lone");
  await settled();
  for (const one of [crowd[0], crowd[1], lone, crowd[2]]) await one?.end();
  expect(begun).toEqual(["crowd", "crowd", "lone", "crowd"]);
});

test("networks whose last transaction was long hold a few connections, and others find one free", async () => {
  const { begun, write } = scene();
  await settled();
  for (const network of ["a", "b"]) {
    const first = write(network);
    await settled();
    await first.end(long);
  }
  const longOnes = ["a", "b", "a", "b"].map(write);
  await settled();
  expect(begun.slice(2)).toEqual(["a", "b"]);
  const short = write("short");
  await settled();
  expect(begun.slice(4)).toEqual(["short"]);
  await longOnes[0]?.end(long);
  await settled();
  expect(begun.slice(5)).toEqual(["a"]);
  await Promise.all([short.end(), ...longOnes.slice(1, 3).map((one) => one.end(long))]);
  await settled();
  expect(begun.slice(6)).toEqual(["b"]);
});

test("a network whose last transaction was short may use all connections again", async () => {
  const { begun, write } = scene({ longAtOnce: 1 });
  for (const bytes of [long, 10]) {
    const one = write("a");
    await settled();
    await one.end(bytes);
  }
  const three = ["a", "a", "a"].map(write);
  await settled();
  expect(begun).toHaveLength(5);
  await Promise.all(three.map((one) => one.end()));
});

test("a transaction that failed gives its turn back", async () => {
  const turns = writeTurns({ atOnce: 1, longAtOnce: 1, waiting: 1, waitMs: 5000 });
  await expect(turns.run("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await turns.run("a", async () => 1)).toBe(1);
});

test("refuses those that wait too long or are too many, and they take no turn later", async () => {
  const { begun, write } = scene({ atOnce: 1, waiting: 1, waitMs: 50 });
  const first = write("a");
  await settled();
  const second = write("b");
  const third = write("c");
  const unavailable = { code: "unavailable", headers: { "retry-after": "1" } };
  await expect(third.done).rejects.toMatchObject(unavailable);
  await expect(second.done).rejects.toMatchObject(unavailable);
  await first.end();
  const fourth = write("d");
  await settled();
  await fourth.end();
  expect(begun).toEqual(["a", "d"]);
});

onMariadb("transactions", () => {
  test("of networks leave connections to reads and to writes of Postern itself", async () => {
    const { storage } = await mariadb.fresh({ connections: 3 });
    let finish = (): void => undefined;
    const held = storage.transaction(() => new Promise<void>((resolve) => (finish = resolve)), "a");
    const waiting = [1, 2].map((id) =>
      storage.transaction(({ resources }) => resources.insert(user, userRow(id)), "a"),
    );
    await storage.transaction(({ resources }) => resources.insert(user, userRow(3)));
    expect(await storage.resources.find(user, idNumber(3), all)).toBeDefined();
    expect(await storage.resources.find(user, idNumber(1), all)).toBeUndefined();
    finish();
    await Promise.all([held, ...waiting]);
    expect(await storage.resources.find(user, idNumber(2), all)).toBeDefined();
  });
});
