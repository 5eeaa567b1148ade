import assert from "node:assert/strict";
import { allowsRow, conditionOf } from "../model/rules.ts";
import { equals } from "../ports/condition.ts";
import { type AccessScope, scopeOf } from "../ports/resource-repository.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { comment, post, user } from "./contract-resources.ts";
import { randomRules } from "./random-rules.ts";
import { all, idsOf, listIds, ownedBy, seed } from "./resource-seeds.ts";
import { commentRow, idNumber, postRow, userRow } from "./rows.ts";

/** What reading rows promises. */
export const resourceReadingContract: Contract<Storage> = {
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
  "tells apart values that differ in case or accent only": async (storage) => {
    for (const [n, email] of ["a@example.com", "á@example.com", "A@example.com"].entries()) {
      await storage.resources.insert(user, userRow(n + 1, { email }));
    }
    assert.deepEqual(await listIds(storage, { where: equals("email", "a@example.com") }), [idNumber(1)]);
  },
  "finds nothing by a text that no row can have": async (storage) => {
    await storage.resources.insert(user, userRow(1, { name: "a\ufffd" }));
    for (const text of ["\0", "a\0", "a\ud800"]) {
      assert.deepEqual(await listIds(storage, { where: equals("name", text) }), []);
      assert.deepEqual(await listIds(storage, { where: { field: "name", in: [text, "b"] } }), []);
      assert.deepEqual(await listIds(storage, { where: { field: "name", op: "contains", value: text } }), []);
      assert.deepEqual(await listIds(storage, { where: { field: "name", op: "ne", value: text } }), [idNumber(1)]);
      assert.deepEqual(await listIds(storage, { where: { field: "name", notIn: [text] } }), [idNumber(1)]);
    }
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
    // The sign for kelvin is a K in NFC.
    assert.deepEqual(await found("contains", "\u212Aelvin"), [idNumber(3)]);
    assert.deepEqual(await found("starts_with", "elvin"), []);
    assert.deepEqual(await found("contains", "B[C]\\D^$"), [idNumber(4)]);
    assert.deepEqual(await found("contains", "a?b"), []);
    assert.deepEqual(await found("contains", "strasse"), []);
    assert.deepEqual(await found("contains", "RASS"), []);
  },
  "finds a text whichever normal form the condition or the written text has": async (storage) => {
    const forms = (text: string) => [text.normalize("NFC"), text.normalize("NFD")] as const;
    const [composed, apart] = forms("Åse Nguyễn 각");
    await storage.resources.insert(user, userRow(1, { name: apart }));
    await storage.resources.insert(user, userRow(2, { name: composed }));
    await storage.resources.insert(user, userRow(3, { name: "Ase Nguyen" }));
    await storage.resources.insert(post, postRow(10, idNumber(1)));
    const both = [idNumber(1), idNumber(2)];
    for (const name of [composed, apart]) {
      assert.deepEqual(await listIds(storage, { where: equals("name", name) }), both);
      assert.deepEqual(await listIds(storage, { where: { field: "name", in: ["x", name] } }), both);
      assert.deepEqual(await listIds(storage, { where: { field: "name", op: "ne", value: name } }), [idNumber(3)]);
      assert.deepEqual(await listIds(storage, { where: { field: "name", notIn: [name] } }), [idNumber(3)]);
      assert.deepEqual(await listIds(storage, { scope: scopeOf({ any: [equals("name", name)] }) }), both);
      const ofThem = scopeOf({ via: "user_id", resource: "user", where: equals("name", name) });
      assert.deepEqual(await listIds(storage, { scope: ofThem }, post), [idNumber(10)]);
    }
    for (const value of forms("ễN")) {
      assert.deepEqual(await listIds(storage, { where: { field: "name", op: "contains", value } }), both);
    }
    for (const value of forms("Ås")) {
      assert.deepEqual(await listIds(storage, { where: { field: "name", op: "starts_with", value } }), both);
    }
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
  "shows by a rule exactly the rows that the rule allows in memory": async (storage) => {
    await seed(storage);
    await storage.resources.insert(comment, commentRow(21, idNumber(12), idNumber(1)));
    await storage.resources.insert(comment, commentRow(22, idNumber(10), idNumber(1)));
    const find = async (resource: string, id: string) =>
      storage.resources.find(resource === "post" ? post : user, id, all);
    const callers = [{ userId: idNumber(1) }, { userId: idNumber(2), role: "editor" }];
    const seen = new Set<string>();
    for (const resource of [comment, post]) {
      const order = [{ field: "id", direction: "asc" }] as const;
      const rows = await storage.resources.list(resource, { scope: all, order, limit: 100 });
      for (const [n, rule] of randomRules(resource === post ? "post" : "comment", 200).entries()) {
        for (const caller of callers) {
          const shown = await listIds(storage, { scope: scopeOf(conditionOf(rule, caller)) }, resource);
          const allowed: unknown[] = [];
          for (const row of rows) if (await allowsRow(rule, caller, row, find)) allowed.push(row.id);
          assert.deepEqual(shown, allowed, `rule ${n}: ${JSON.stringify(rule)}`);
          seen.add(`${resource.name} ${allowed.length}`);
        }
      }
    }
    // None, some and all of them.
    assert.ok(seen.size >= 6, [...seen].join(", "));
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
};
