import assert from "node:assert/strict";
import { AppError } from "../errors/index.ts";
import type { Resource } from "../model/resource.ts";
import { equals } from "../ports/condition.ts";
import { type AccessScope, allRows, type ListQuery, type Row, scopeOf } from "../ports/resource-repository.ts";
import type { Storage } from "../ports/storage.ts";
import { comment, post, user } from "./contract-resources.ts";
import { commentRow, idNumber, postRow, userRow } from "./rows.ts";

export const all = allRows("contract");
export const ownedBy = (userId: string): AccessScope => scopeOf(equals("user_id", userId));
const byId = [{ field: "id", direction: "asc" }] as const;

export const code =
  (expected: string, pointer?: string) =>
  (thrown: unknown): boolean => {
    assert.ok(thrown instanceof AppError, `expected an AppError, got ${String(thrown)}`);
    assert.equal(thrown.code, expected);
    if (pointer !== undefined)
      assert.ok(thrown.faults.some((fault) => "pointer" in fault && fault.pointer === pointer));
    return true;
  };

/** Two users; the first has 600 posts, and both have comments on posts of both. */
export const seedMany = (storage: Storage): Promise<void> =>
  storage.transaction(async ({ resources }) => {
    for (const n of [1, 2]) await resources.insert(user, userRow(n));
    for (let n = 100; n < 700; n += 1) await resources.insert(post, postRow(n, idNumber(1)));
    await resources.insert(post, postRow(9, idNumber(2)));
    const comments = [
      [2001, 100, 2],
      [2002, 9, 1],
      [2003, 101, 1],
      [2004, 9, 2],
    ] as const;
    for (const [n, of, by] of comments) await resources.insert(comment, commentRow(n, idNumber(of), idNumber(by)));
  });

export const idsOf = (rows: readonly Row[]): unknown[] => rows.map(({ id }) => id);

export const listIds = async (
  { resources }: Storage,
  query: Partial<ListQuery>,
  resource: Resource = user,
): Promise<unknown[]> => idsOf(await resources.list(resource, { scope: all, order: byId, limit: 100, ...query }));

/**
 * Two users. The first has a draft (10) and a published post (11), the second a draft (12) and a
 * comment under post 11.
 */
export const seed = async ({ resources }: Storage): Promise<void> => {
  await resources.insert(user, userRow(1));
  await resources.insert(user, userRow(2));
  await resources.insert(post, postRow(10, idNumber(1)));
  await resources.insert(
    post,
    postRow(11, idNumber(1), { status: "published", published_at: "2026-02-01T00:00:00.000Z" }),
  );
  await resources.insert(post, postRow(12, idNumber(2)));
  await resources.insert(comment, commentRow(20, idNumber(11), idNumber(2)));
};
