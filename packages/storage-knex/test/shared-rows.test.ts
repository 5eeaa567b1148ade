import { user } from "@postern/app";
import { AppError } from "@postern/core";
import { idNumber, userRow } from "@postern/core/testing";
import { expect, test } from "vitest";
import type { Database, Session } from "../src/engine/database.ts";
import { sharedRows } from "../src/server/shared-rows.ts";
import { mariadb, onMariadb } from "./databases.ts";

const all = { where: { all: [] }, reason: "test" };
const sql = "SELECT n FROM t WHERE id = ?";

/** A database that answers with `rows`. `texts` holds the statements that it got. */
const scene = (rows: (text: string, values: readonly unknown[]) => object[] | Promise<object[]>) => {
  const texts: string[] = [];
  const session = {
    rows: async (text: string, values: readonly unknown[] = []) => {
      texts.push(text);
      return rows(text, values);
    },
  } as Pick<Session, "rows"> as Session;
  const read: Database["read"] = async (work) => work(session);
  const find = sharedRows(read);
  return { texts, find: (id: number, text = sql) => find({ sql: text, values: [id] }, ["n"]) };
};

test("a read that comes alone is sent as it is", async () => {
  const { texts, find } = scene(() => [{ n: 7 }]);
  expect(await find(1)).toEqual({ n: 7 });
  expect(texts).toEqual([sql]);
});

test("reads of one shape that come together share a statement, and reads of another do not", async () => {
  const { texts, find } = scene((text, values) =>
    text.includes("$place") ? [{ $place: 1, n: values[1] }] : [{ n: "other" }],
  );
  const other = "SELECT n FROM u WHERE id = ?";
  expect(await Promise.all([find(1), find(2), find(3, other)])).toEqual([undefined, { n: 2 }, { n: "other" }]);
  expect(texts).toEqual([
    "SELECT 0 AS `$place`, n FROM t WHERE id = ? UNION ALL SELECT 1 AS `$place`, n FROM t WHERE id = ?",
    other,
  ]);
});

test("reads that come while three statements run share the next ones, at most 32 in each", async () => {
  const waiting: (() => void)[] = [];
  const { texts, find } = scene(() => new Promise((resolve) => waiting.push(() => resolve([]))));
  const done: Promise<unknown>[] = [];
  const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  for (let id = 0; id < 3; id += 1) {
    done.push(find(id, `${sql} AND ${id}`));
    await settled();
  }
  for (let id = 0; id < 40; id += 1) done.push(find(id));
  await settled();
  expect(texts).toHaveLength(3);
  while (waiting.length > 0) {
    for (const answer of waiting.splice(0)) answer();
    await settled();
  }
  await Promise.all(done);
  expect(texts.slice(3).map((text) => text.split("SELECT").length - 1)).toEqual([32, 8]);
});

test("a read that fails does not fail those that came with it; a database that is away fails all at once", async () => {
  const one = scene((text, values) => {
    if (text.includes("$place") || values[0] === 2) throw new TypeError("no");
    return [{ n: values[0] }];
  });
  const results = await Promise.allSettled([one.find(1), one.find(2), one.find(3)]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  const away = scene(() => {
    throw new AppError("unavailable");
  });
  expect(await Promise.allSettled([away.find(1), away.find(2)])).toMatchObject([
    { reason: { code: "unavailable" } },
    { reason: { code: "unavailable" } },
  ]);
  expect(away.texts).toHaveLength(1);
});

onMariadb("reads of rows", () => {
  test("that come together get the same rows as alone", async () => {
    const { storage } = await mariadb.fresh();
    const ids = Array.from({ length: 40 }, (_, n) => n + 1);
    for (const id of ids) if (id % 3 > 0) await storage.resources.insert(user, userRow(id));
    const find = (id: number) => storage.resources.find(user, idNumber(id), all);
    const together = await Promise.all(ids.map(find));
    const alone = [];
    for (const id of ids) alone.push(await find(id));
    expect(together).toEqual(alone);
    expect(together.map((row) => row?.id)).toEqual(ids.map((id) => (id % 3 > 0 ? idNumber(id) : undefined)));
  });
});
