import { post, user } from "@postern/app";
import { allRows, type Row, type Storage } from "@postern/core";
import type { Place, SortKey } from "@postern/core/ports";
import { idNumber, postRow, userRow } from "@postern/core/testing";
import { expect, test } from "vitest";
import { onEachDatabase } from "./databases.ts";

const scope = allRows("test");
const author = idNumber(1);
const moment = (ms: number): string => new Date(Date.parse("2026-01-01T00:00:00.000Z") + ms).toISOString();

/** Times are often equal, within one row and between rows. */
const posts: readonly Row[] = Array.from({ length: 60 }, (_, n) => {
  const created = (n * 7) % 11;
  const changed = [0, 0, 1, 5, 12][n % 5] ?? 0;
  const times = { created_at: moment(created), updated_at: moment(created + changed) };
  return postRow(100 + n, n % 6 === 5 ? idNumber(2) : author, times);
});

const compare = (order: readonly SortKey[]) => (a: Row, b: Row) => {
  for (const { field, direction } of order) {
    const [left, right] = [String(a[field]), String(b[field])];
    if (left !== right) return left < right === (direction === "asc") ? -1 : 1;
  }
  return 0;
};

const key = (text: string): SortKey => ({
  field: text.replace("-", ""),
  direction: text.startsWith("-") ? "desc" : "asc",
});
const orders: readonly (readonly SortKey[])[] = [
  ["created_at", "id"],
  ["-created_at", "-id"],
  ["updated_at", "id"],
  ["-updated_at", "-id"],
  ["-updated_at", "id"],
  ["updated_at", "-created_at", "id"],
  ["created_at", "-updated_at", "id"],
].map((keys) => keys.map(key));

/** All pages of an author's posts, of seven rows each, from either end. */
const paged = async (storage: Storage, order: readonly SortKey[], backwards: boolean): Promise<unknown[]> => {
  const where = { field: "user_id", op: "eq", value: author } as const;
  const found: Row[] = [];
  for (let place: Place = []; ; ) {
    const border = backwards ? { before: place } : place.length > 0 ? { after: place } : {};
    const rows = await storage.resources.list(post, { scope, where, order, limit: 7, ...border });
    if (backwards) found.unshift(...rows);
    else found.push(...rows);
    const last = rows.at(backwards ? 0 : -1);
    if (last === undefined) return found.map(({ id }) => id);
    place = order.map(({ field }) => last[field] as string);
  }
};

onEachDatabase("a list by a time, of rows of which some were changed,", (databases) => {
  test("has every row once and in order, from either end and below each parent", async () => {
    const { storage } = await databases.fresh();
    await storage.transaction(async ({ resources }) => {
      for (const owner of [1, 2]) await resources.insert(user, userRow(owner));
      for (const row of posts) await resources.insert(post, { ...row, updated_at: row.created_at ?? null });
      for (const { id, created_at, updated_at } of posts) {
        if (updated_at !== created_at) {
          await resources.update(post, { id: String(id), scope }, { updated_at: updated_at ?? null });
        }
      }
    });
    for (const order of orders) {
      const sorted = posts.toSorted(compare(order));
      const own = sorted.filter(({ user_id }) => user_id === author).map(({ id }) => id);
      const told = JSON.stringify(order);
      expect(await paged(storage, order, false), told).toEqual(own);
      expect(await paged(storage, order, true), told).toEqual(own);
      const parents = { field: "user_id", ids: [author, idNumber(2)] };
      const below = await storage.resources.listBelow(post, { scope, parents, order, limit: 5, fields: ["id"] });
      const first = [author, idNumber(2)].flatMap((id) => sorted.filter(({ user_id }) => user_id === id).slice(0, 5));
      expect(
        below.map(({ id }) => id),
        told,
      ).toEqual(first.map(({ id }) => id));
    }
  });
});
