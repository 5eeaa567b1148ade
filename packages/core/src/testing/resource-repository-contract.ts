import assert from "node:assert/strict";
import { AppError } from "../errors/index.ts";
import { equals } from "../ports/condition.ts";
import { type AccessScope, allRows, type ListQuery, type Row, scopeOf } from "../ports/resource-repository.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { comment, post, session, user } from "./contract-resources.ts";
import { commentRow, idNumber, postRow, userRow } from "./rows.ts";

const all = allRows("contract");
const ownedBy = (userId: string): AccessScope => scopeOf(equals("user_id", userId));
const byId = [{ field: "id", direction: "asc" }] as const;

const code =
  (expected: string, pointer?: string) =>
  (thrown: unknown): boolean => {
    assert.ok(thrown instanceof AppError, `expected an AppError, got ${String(thrown)}`);
    assert.equal(thrown.code, expected);
    if (pointer !== undefined)
      assert.ok(thrown.faults.some((fault) => "pointer" in fault && fault.pointer === pointer));
    return true;
  };

/** Two users; the first has 600 posts, and both have comments on posts of both. */
const seedMany = (storage: Storage): Promise<void> =>
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

const idsOf = (rows: readonly Row[]): unknown[] => rows.map(({ id }) => id);

const listIds = async ({ resources }: Storage, query: Partial<ListQuery>, resource = user): Promise<unknown[]> =>
  idsOf(await resources.list(resource, { scope: all, order: byId, limit: 100, ...query }));

/**
 * Two users. The first has a draft (10) and a published post (11), the second a draft (12) and a
 * comment under post 11.
 */
const seed = async ({ resources }: Storage): Promise<void> => {
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

/**
 * What every `ResourceRepository` promises, on a fresh storage that knows the built-in resources.
 */
export const resourceRepositoryContract: Contract<Storage> = {
  "gives back what was stored, value for value": async ({ resources }) => {
    const row = userRow(1, {
      name: "Zoë 𝒵 'quoted' \"twice\" \\ % _ ;--",
      phone: "+1 555 0100",
      preferences: { theme: "dark", nested: { list: [1, 2.5, true, null, "ü"] }, big: 9007199254740991 },
    });
    await resources.insert(user, row);
    assert.deepEqual(await resources.find(user, idNumber(1), all), { ...row, revision: 1 });
  },
  "gives back long text with line breaks": async ({ resources }) => {
    const body = `first\nsecond\r\n\tthird 🚪${"x".repeat(99_000)}`;
    await resources.insert(user, userRow(1));
    await resources.insert(post, postRow(10, idNumber(1), { body }));
    assert.equal((await resources.find(post, idNumber(10), all, ["body"]))?.body, body);
  },
  "reads the named fields only": async (storage) => {
    await seed(storage);
    assert.deepEqual(await storage.resources.find(user, idNumber(1), all, ["email", "id"]), {
      email: "user1@example.com",
      id: idNumber(1),
    });
  },
  "finds nothing under an unknown id": async ({ resources }) => {
    assert.equal(await resources.find(user, idNumber(99), all), undefined);
  },
  "refuses a second row with a unique value, and says which": async ({ resources }) => {
    await resources.insert(user, userRow(1));
    await assert.rejects(
      resources.insert(user, userRow(2, { email: "user1@example.com" })),
      code("conflict", "/email"),
    );
    assert.equal(await resources.find(user, idNumber(2), all), undefined);
  },
  "refuses a second row with the same id": async ({ resources }) => {
    await resources.insert(user, userRow(1));
    await assert.rejects(resources.insert(user, userRow(1, { email: "other@example.com" })), code("conflict", "/id"));
  },
  "keeps one row when two inserts race for a unique value": async (storage) => {
    const tries = Array.from({ length: 8 }, (_, n) =>
      storage.resources.insert(user, userRow(n + 1, { email: "same@example.com" })),
    );
    const results = await Promise.allSettled(tries);
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
    for (const result of results) if (result.status === "rejected") code("conflict", "/email")(result.reason);
    assert.equal((await listIds(storage, {})).length, 1);
  },
  "tells apart values that differ in case or accent only": async (storage) => {
    for (const [n, email] of ["a@example.com", "á@example.com", "A@example.com"].entries()) {
      await storage.resources.insert(user, userRow(n + 1, { email }));
    }
    assert.deepEqual(await listIds(storage, { where: equals("email", "a@example.com") }), [idNumber(1)]);
  },
  "refuses a row that refers to nothing": async ({ resources }) => {
    await assert.rejects(resources.insert(post, postRow(10, idNumber(99))), code("not_found"));
  },
  "hides rows outside the scope from every call": async (storage) => {
    await seed(storage);
    const { resources } = storage;
    const second = ownedBy(idNumber(2));
    assert.equal(await resources.find(post, idNumber(10), second), undefined);
    assert.equal(await resources.update(post, { id: idNumber(10), scope: second }, { title: "taken over" }), "missing");
    assert.equal(await resources.delete(post, idNumber(10), second), "missing");
    assert.equal(await resources.deleteWhere(post, second, equals("id", idNumber(10))), 0);
    assert.deepEqual(await listIds(storage, { scope: second }, post), [idNumber(12)]);
    assert.equal((await resources.find(post, idNumber(10), all))?.title, "Post 10");
  },
  "follows a reference in a scope": async (storage) => {
    await seed(storage);
    const underPublished = scopeOf({ via: "post_id", resource: "post", where: equals("status", "published") });
    assert.deepEqual(await listIds(storage, { scope: underPublished }, comment), [idNumber(20)]);
    await storage.resources.update(post, { id: idNumber(11), scope: all }, { status: "archived" });
    assert.deepEqual(await listIds(storage, { scope: underPublished }, comment), []);
  },
  "combines conditions": async (storage) => {
    await seed(storage);
    const published = equals("status", "published");
    const ofSecond = equals("user_id", idNumber(2));
    assert.deepEqual(await listIds(storage, { where: { any: [published, ofSecond] } }, post), [
      idNumber(11),
      idNumber(12),
    ]);
    assert.deepEqual(await listIds(storage, { where: { all: [published, ofSecond] } }, post), []);
    assert.deepEqual(await listIds(storage, { where: { all: [] } }, post), [idNumber(10), idNumber(11), idNumber(12)]);
    assert.deepEqual(await listIds(storage, { where: { any: [] } }, post), []);
    assert.deepEqual(await listIds(storage, { where: { field: "id", in: [idNumber(12), idNumber(10)] } }, post), [
      idNumber(10),
      idNumber(12),
    ]);
    assert.deepEqual(await listIds(storage, { where: { field: "id", in: [] } }, post), []);
  },
  "compares null with null only": async (storage) => {
    await seed(storage);
    const publishedAt = (op: "eq" | "ne" | "lt" | "gt", value: string | null) =>
      listIds(storage, { where: { field: "published_at", op, value } }, post);
    assert.deepEqual(await publishedAt("eq", null), [idNumber(10), idNumber(12)]);
    assert.deepEqual(await publishedAt("ne", null), [idNumber(11)]);
    assert.deepEqual(await publishedAt("ne", "2020-01-01T00:00:00.000Z"), [idNumber(11)]);
    assert.deepEqual(await publishedAt("lt", "2026-02-01T00:00:00.001Z"), [idNumber(11)]);
    assert.deepEqual(await publishedAt("gt", "2026-02-01T00:00:00.000Z"), []);
  },
  "pages through every row once, in either direction": async (storage) => {
    for (let n = 1; n <= 9; n += 1)
      await storage.resources.insert(user, userRow(n, { name: n % 2 === 0 ? "even" : "odd" }));
    for (const direction of ["asc", "desc"] as const) {
      const order = [
        { field: "name", direction },
        { field: "id", direction },
      ] as const;
      const whole = await storage.resources.list(user, { scope: all, order, limit: 100 });
      const seen: unknown[] = [];
      let after: readonly (string | number | null)[] | undefined;
      for (let page = 0; page < 5; page += 1) {
        const rows = await storage.resources.list(user, { scope: all, order, limit: 2, ...(after && { after }) });
        seen.push(...idsOf(rows));
        const last = rows.at(-1);
        after = [String(last?.name), String(last?.id)];
      }
      assert.deepEqual(seen, idsOf(whole));
      assert.equal(seen.length, 9);
    }
  },
  "puts nulls last in either direction and pages over them": async (storage) => {
    const phones = ["b", null, "a", null];
    for (const [n, phone] of phones.entries()) await storage.resources.insert(user, userRow(n + 1, { phone }));
    for (const [direction, expected] of [
      ["asc", [3, 1, 2, 4]],
      ["desc", [1, 3, 4, 2]],
    ] as const) {
      const order = [
        { field: "phone", direction },
        { field: "id", direction },
      ] as const;
      const first = await storage.resources.list(user, { scope: all, order, limit: 3 });
      const last = first.at(-1);
      const after = [last?.phone === null ? null : String(last?.phone), String(last?.id)];
      const second = await storage.resources.list(user, { scope: all, order, limit: 3, after });
      assert.deepEqual([...idsOf(first), ...idsOf(second)], expected.map(idNumber));
    }
  },
  "pages back over the rows in front of a place, and back from the end": async (storage) => {
    const phones = ["b", null, "a", null, "a"];
    for (const [n, phone] of phones.entries()) await storage.resources.insert(user, userRow(n + 1, { phone }));
    for (const direction of ["asc", "desc"] as const) {
      const order = [
        { field: "phone", direction },
        { field: "id", direction },
      ] as const;
      const whole = await storage.resources.list(user, { scope: all, order, limit: 100 });
      const seen: unknown[] = [];
      let before: readonly (string | null)[] = [];
      for (let page = 0; page < 4; page += 1) {
        const rows = await storage.resources.list(user, {
          scope: all,
          order,
          limit: 2,
          before,
          fields: ["id", "phone"],
        });
        seen.unshift(...idsOf(rows));
        const [first] = rows;
        if (first !== undefined) before = [first.phone === null ? null : String(first.phone), String(first.id)];
      }
      assert.deepEqual(seen, idsOf(whole));
    }
  },
  "orders by fields that are not read": async (storage) => {
    for (const [n, name] of ["b", "a", "a"].entries()) await storage.resources.insert(user, userRow(n + 1, { name }));
    const order = [
      { field: "name", direction: "desc" },
      { field: "id", direction: "asc" },
    ] as const;
    const rows = await storage.resources.list(user, {
      scope: all,
      order,
      limit: 9,
      after: ["b", idNumber(1)],
      fields: ["email"],
    });
    assert.deepEqual(rows, [{ email: "user2@example.com" }, { email: "user3@example.com" }]);
  },
  "finds text by a piece of it, telling apart everything but the case of A to Z": async (storage) => {
    const names = ["100% sure_thing", "ärger Ä", "KELVIN", "a.b[c]\\d^$", "Straße"];
    for (const [n, name] of names.entries()) await storage.resources.insert(user, userRow(n + 1, { name }));
    const found = (op: "contains" | "starts_with", value: string) =>
      listIds(storage, { where: { field: "name", op, value } });
    assert.deepEqual(await found("contains", "0% S"), [idNumber(1)]);
    assert.deepEqual(await found("contains", "sure_T"), [idNumber(1)]);
    assert.deepEqual(await found("contains", "sure%t"), []);
    assert.deepEqual(await found("contains", "sure t"), []);
    assert.deepEqual(await found("starts_with", "Ä"), []);
    assert.deepEqual(await found("contains", "Ä"), [idNumber(2)]);
    assert.deepEqual(await found("starts_with", "kel"), [idNumber(3)]);
    assert.deepEqual(await found("contains", "\u212Aelvin"), []);
    assert.deepEqual(await found("starts_with", "elvin"), []);
    assert.deepEqual(await found("contains", "B[C]\\D^$"), [idNumber(4)]);
    assert.deepEqual(await found("contains", "a?b"), []);
    assert.deepEqual(await found("contains", "strasse"), []);
    assert.deepEqual(await found("contains", "RASS"), []);
  },
  "tells characters apart that mean nothing": async (storage) => {
    const names = ["\u{FFFE}a", "\u{FFFF}a", "\u{FFFD}a", "\u{FDD0}a", "\u{1FFFE}a", "\u{10FFFF}a"];
    for (const [n, name] of names.entries()) await storage.resources.insert(user, userRow(n + 1, { name }));
    for (const [n, value] of names.entries()) {
      for (const op of ["contains", "starts_with"] as const) {
        const found = await listIds(storage, { where: { field: "name", op, value: value.toUpperCase() } });
        assert.deepEqual(found, [idNumber(n + 1)], `${op} ${n}`);
      }
    }
    assert.deepEqual(await listIds(storage, { where: { field: "name", op: "starts_with", value: "a" } }), []);
  },
  "leaves out values, and what has none": async (storage) => {
    const phones = ["1", null, "2"];
    for (const [n, phone] of phones.entries()) await storage.resources.insert(user, userRow(n + 1, { phone }));
    assert.deepEqual(await listIds(storage, { where: { field: "phone", notIn: ["1"] } }), [idNumber(3)]);
    assert.deepEqual(await listIds(storage, { where: { field: "phone", notIn: [] } }), [idNumber(1), idNumber(3)]);
  },
  "finds many rows by their ids, those in the scope": async (storage) => {
    await seed(storage);
    const ids = Array.from({ length: 2000 }, (_, n) => idNumber(n));
    const found = async (scope: AccessScope) =>
      idsOf(await storage.resources.findEach(post, ids, scope, { fields: ["id"] }));
    assert.deepEqual((await found(all)).toSorted(), [idNumber(10), idNumber(11), idNumber(12)]);
    assert.deepEqual(await found(ownedBy(idNumber(2))), [idNumber(12)]);
    assert.deepEqual(await storage.resources.findEach(post, [], all), []);
    assert.deepEqual(await storage.resources.findEach(post, [idNumber(12)], all), [
      { ...postRow(12, idNumber(2)), revision: 1 },
    ]);
  },
  "lists the first rows below each of many parents": async (storage) => {
    const { resources } = storage;
    for (const n of [1, 2, 3]) await resources.insert(user, userRow(n));
    for (const n of [14, 11, 13, 12]) await resources.insert(post, postRow(n, idNumber(1), { title: `Same ${n % 2}` }));
    await resources.insert(post, postRow(15, idNumber(2)));
    const below = async (ids: readonly number[], scope = all): Promise<Record<string, unknown[]>> => {
      const rows = await resources.listBelow(post, {
        scope,
        parents: { field: "user_id", ids: ids.map(idNumber) },
        where: { field: "status", op: "eq", value: "draft" },
        order: [
          { field: "title", direction: "desc" },
          { field: "id", direction: "desc" },
        ],
        limit: 3,
        fields: ["id", "user_id"],
      });
      const grouped: Record<string, unknown[]> = {};
      for (const { id, user_id } of rows) grouped[String(user_id)] = [...(grouped[String(user_id)] ?? []), id];
      return grouped;
    };
    const ofFirst = [idNumber(13), idNumber(11), idNumber(14)];
    assert.deepEqual(await below([1, 2, 3]), { [idNumber(1)]: ofFirst, [idNumber(2)]: [idNumber(15)] });
    assert.deepEqual(await below([1]), { [idNumber(1)]: ofFirst });
    assert.deepEqual(await below([1, 2], ownedBy(idNumber(2))), { [idNumber(2)]: [idNumber(15)] });
    assert.deepEqual(await below([]), {});
    const many = Array.from({ length: 100 }, (_, n) => n + 1);
    assert.deepEqual(await below(many), { [idNumber(1)]: ofFirst, [idNumber(2)]: [idNumber(15)] });
  },
  "leaves out what is longer than asked, and says how long it is": async ({ resources }) => {
    await resources.insert(user, userRow(1, { preferences: { note: "\u00e4".repeat(40) } }));
    const long = "\u00e4".repeat(100);
    await resources.insert(post, postRow(11, idNumber(1), { body: long }));
    await resources.insert(post, postRow(12, idNumber(1), { body: "\u00e4".repeat(32) }));
    const order = [{ field: "id", direction: "asc" }] as const;
    const fields = ["id", "body", "user_id"];
    const first = { id: idNumber(11), body: null, user_id: idNumber(1), $left_out: { body: 200 } };
    const second = { id: idNumber(12), body: "\u00e4".repeat(32), user_id: idNumber(1) };
    const options = { fields, longest: 64 };
    const query = { scope: all, order, limit: 10, ...options };
    assert.deepEqual(await resources.list(post, query), [first, second]);
    assert.deepEqual(await resources.list(post, { ...query, after: [idNumber(11)] }), [second]);
    assert.deepEqual(await resources.list(post, { ...query, before: [] }), [first, second]);
    const parents = { field: "user_id", ids: [idNumber(1)] };
    assert.deepEqual(await resources.listBelow(post, { ...query, parents }), [first, second]);
    const found = await resources.findEach(post, [idNumber(11), idNumber(12)], all, options);
    assert.deepEqual(
      found.toSorted((a, b) => String(a.id).localeCompare(String(b.id))),
      [first, second],
    );
    // Sorted by a field without a value in some rows, the page is read in parts.
    const byPhone = [{ field: "phone", direction: "asc" }, ...order] as const;
    const [one] = await resources.list(user, { scope: all, order: byPhone, limit: 1, longest: 64 });
    const left: unknown = one?.$left_out;
    assert.deepEqual([one?.preferences, Object.keys(left ?? {}), one?.name], [null, ["preferences"], "User 1"]);
    assert.deepEqual(await resources.list(post, { ...query, longest: 200 }), [
      { id: idNumber(11), body: long, user_id: idNumber(1) },
      second,
    ]);
  },
  "deletes a row with however many others: all of them are gone at once, and leave piece by piece": async (storage) => {
    const { resources, housekeeping } = storage;
    await seedMany(storage);
    assert.equal(await resources.delete(user, idNumber(1), all), "done");

    // Of the first user nothing is there; of the second everything, but for what stood below the
    // first one's.
    assert.equal(await resources.find(user, idNumber(1), all), undefined);
    assert.equal(await resources.find(post, idNumber(100), all), undefined);
    assert.equal(await resources.find(comment, idNumber(2001), all), undefined);
    assert.deepEqual(await listIds(storage, {}), [idNumber(2)]);
    assert.equal(await resources.count(post, { scope: all }, 1000), 1);
    assert.equal(await resources.count(comment, { scope: all }, 1000), 1);
    assert.deepEqual(idsOf(await resources.findEach(post, [idNumber(100), idNumber(9)], all, { fields: ["id"] })), [
      idNumber(9),
    ]);
    const order = [{ field: "id", direction: "asc" }] as const;
    const parents = { field: "user_id", ids: [idNumber(1), idNumber(2)] };
    const below = await resources.listBelow(post, { scope: all, parents, order, limit: 50, fields: ["id", "user_id"] });
    assert.deepEqual(idsOf(below), [idNumber(9)]);
    assert.deepEqual(await resources.list(post, { scope: ownedBy(idNumber(1)), order, limit: 10 }), []);

    // Nothing can be done to it, or below it.
    assert.equal(await resources.update(user, { id: idNumber(1), scope: all }, { name: "New" }), "missing");
    assert.equal(await resources.update(post, { id: idNumber(100), scope: all }, { title: "New" }), "missing");
    assert.equal(await resources.delete(user, idNumber(1), all), "missing");
    assert.equal(await resources.delete(post, idNumber(100), all), "missing");
    assert.equal(await resources.deleteWhere(comment, all, equals("user_id", idNumber(1))), 0);
    await assert.rejects(resources.insert(post, postRow(5000, idNumber(1))), code("not_found"));
    await assert.rejects(resources.insert(comment, commentRow(5001, idNumber(100), idNumber(2))), code("not_found"));
    await assert.rejects(
      resources.update(post, { id: idNumber(9), scope: all }, { user_id: idNumber(1) }),
      code("not_found"),
    );
    assert.deepEqual(await storage.transaction((stores) => stores.resources.hold(user, { scope: all }, 10)), [
      idNumber(2),
    ]);

    // Its unique values are free, for a new row and for one that there is.
    await resources.insert(user, userRow(3, { email: "user1@example.com" }));
    assert.equal(await resources.delete(user, idNumber(3), all), "done");
    assert.equal(await resources.update(user, { id: idNumber(2), scope: all }, { email: "user1@example.com" }), "done");

    const left = await housekeeping.unfinishedDeletions(10_000);
    let removed = 0;
    for (let count = -1; count !== 0; removed += count) {
      count = await housekeeping.finishDeletions(500);
      assert.ok(count <= 500);
    }
    assert.deepEqual([left.deletions > 0, removed > 0], [left.rows > 0, left.rows > 0]);
    assert.deepEqual(await housekeeping.unfinishedDeletions(10_000), { deletions: 0, rows: 0 });
    assert.equal((await resources.find(user, idNumber(2), all))?.email, "user1@example.com");
    assert.equal(await resources.count(post, { scope: all }, 1000), 1);
    assert.equal(await resources.count(comment, { scope: all }, 1000), 1);
  },
  "says how much there is of a selection, and keeps two writers from both taking the last place": async (storage) => {
    for (const n of [1, 2]) await storage.resources.insert(user, userRow(n));
    await storage.resources.insert(post, postRow(11, idNumber(1), { title: "\u00e4b", body: "\u20ac" }));
    await storage.resources.insert(post, postRow(12, idNumber(2), { title: "a", body: "b" }));
    const selection = { scope: ownedBy(idNumber(1)) };
    const usage = (bytes: boolean) =>
      storage.transaction(({ resources }) => resources.usage(post, selection, { bytes }));
    assert.deepEqual(await usage(true), { rows: 1, bytes: 6 });
    assert.deepEqual(await usage(false), { rows: 1, bytes: 0 });
    const nobody = { scope: ownedBy(idNumber(3)) };
    assert.deepEqual(await storage.transaction(({ resources }) => resources.usage(post, nobody, { bytes: true })), {
      rows: 0,
      bytes: 0,
    });
    const add = (n: number): Promise<boolean> =>
      storage
        .transaction(async ({ resources }) => {
          await resources.hold(user, { scope: all, where: equals("id", idNumber(1)) }, 1);
          await resources.insert(post, postRow(n, idNumber(1)));
          const { rows } = await resources.usage(post, selection, { bytes: false });
          if (rows > 3) throw new Error("full");
        })
        .then(
          () => true,
          () => false,
        );
    const added = await Promise.all([21, 22, 23, 24, 25, 26].map(add));
    assert.equal(added.filter(Boolean).length, 2);
    assert.equal(await storage.resources.count(post, selection, 100), 3);
  },
  "counts no further than it is told": async (storage) => {
    await seed(storage);
    const count = (scope: AccessScope, atMost: number) => storage.resources.count(post, { scope }, atMost);
    assert.equal(await count(all, 100), 3);
    assert.equal(await count(all, 2), 2);
    assert.equal(await count(ownedBy(idNumber(2)), 100), 1);
    assert.equal(await storage.resources.count(post, { scope: all, where: equals("status", "published") }, 100), 1);
  },
  "goes on behind a row that is gone": async (storage) => {
    for (let n = 1; n <= 3; n += 1) await storage.resources.insert(user, userRow(n));
    await storage.resources.delete(user, idNumber(2), all);
    assert.deepEqual(await listIds(storage, { after: [idNumber(2)] }), [idNumber(3)]);
  },
  "changes the named fields and raises the revision": async ({ resources }) => {
    await resources.insert(user, userRow(1));
    assert.equal(
      await resources.update(user, { id: idNumber(1), scope: all }, { name: "New", preferences: { a: 1 } }),
      "done",
    );
    assert.deepEqual(await resources.find(user, idNumber(1), all), {
      ...userRow(1, { name: "New", preferences: { a: 1 } }),
      revision: 2,
    });
  },
  "refuses a change to a unique value that is taken": async ({ resources }) => {
    await resources.insert(user, userRow(1));
    await resources.insert(user, userRow(2));
    await assert.rejects(
      resources.update(user, { id: idNumber(2), scope: all }, { email: "user1@example.com" }),
      code("conflict", "/email"),
    );
  },
  "names the first field of the resource where several values are taken": async ({ resources }) => {
    await resources.insert(user, userRow(1));
    await resources.insert(user, userRow(2));
    const row = userRow(1, { email: "user2@example.com" });
    await assert.rejects(resources.insert(user, row), code("conflict", "/id"));
  },
  "changes nothing when the revision is another": async ({ resources }) => {
    await resources.insert(user, userRow(1));
    await resources.update(user, { id: idNumber(1), scope: all }, { name: "Second" });
    assert.equal(
      await resources.update(user, { id: idNumber(1), scope: all }, { name: "Late" }, { expectedRevision: 1 }),
      "stale",
    );
    assert.equal(await resources.delete(user, idNumber(1), all, { expectedRevision: 1 }), "stale");
    assert.equal((await resources.find(user, idNumber(1), all))?.name, "Second");
    assert.equal(
      await resources.update(user, { id: idNumber(9), scope: all }, { name: "x" }, { expectedRevision: 1 }),
      "missing",
    );
  },
  "holds rows for the transaction that asked, so that two never both take away the last but one": async (storage) => {
    for (const n of [1, 2]) await storage.resources.insert(user, userRow(n, { role: "admin" }));
    const admins = { scope: all, where: equals("role", "admin") };
    const demote = (n: number): Promise<boolean> =>
      storage.transaction(async ({ resources }) => {
        const held = await resources.hold(user, admins, 2);
        if (held.length < 2) return false;
        await resources.update(user, { id: idNumber(n), scope: all }, { role: "user" });
        return true;
      });
    assert.deepEqual((await Promise.all([demote(1), demote(2)])).toSorted(), [false, true]);
    assert.equal((await storage.transaction(({ resources }) => resources.hold(user, admins, 2))).length, 1);
  },
  "lets one of many writers of the same revision through": async ({ resources }) => {
    await resources.insert(user, userRow(1));
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        resources.update(user, { id: idNumber(1), scope: all }, { name: `Writer ${n}` }, { expectedRevision: 1 }),
      ),
    );
    assert.deepEqual(results.toSorted(), ["done", ...Array.from({ length: 7 }, () => "stale")]);
  },
  "deletes what belongs to a row with it": async (storage) => {
    await seed(storage);
    await storage.resources.insert(session, {
      id: idNumber(30),
      user_id: idNumber(1),
      refresh_digest: "digest",
      device: null,
      address: null,
      last_used_at: "2026-01-01T00:00:00.000Z",
      expires_at: "2026-01-01T00:00:00.000Z",
      created_at: "2026-01-01T00:00:00.000Z",
      updated_at: "2026-01-01T00:00:00.000Z",
    });
    assert.equal(await storage.resources.delete(user, idNumber(1), all), "done");
    assert.deepEqual(await listIds(storage, {}, post), [idNumber(12)]);
    assert.deepEqual(await listIds(storage, {}, comment), []);
    assert.deepEqual(await listIds(storage, {}, session), []);
    assert.equal(await storage.resources.delete(user, idNumber(1), all), "missing");
  },
  "counts the rows that a condition deletes": async (storage) => {
    await seed(storage);
    assert.equal(await storage.resources.deleteWhere(post, all, equals("user_id", idNumber(1))), 2);
    assert.deepEqual(await listIds(storage, {}, post), [idNumber(12)]);
  },
};
