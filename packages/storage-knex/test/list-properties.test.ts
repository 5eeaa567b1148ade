import { user } from "@postern/app";
import {
  type AccessScope,
  allRows,
  boolean,
  type Condition,
  choice,
  date,
  decimal,
  defineResource,
  type FieldValue,
  integer,
  nullable,
  ownedBy,
  type Row,
  reference,
  type Storage,
  text,
} from "@postern/core";
import { memoryStorage } from "@postern/core/memory";
import { type Place, type SortKey, scopeOf } from "@postern/core/ports";
import { idNumber, userRow } from "@postern/core/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { onEachDatabase, openStorage } from "./databases.ts";

/** One field of each kind that can be sorted or filtered, most of them often equal or empty. */
const thing = defineResource({
  name: "thing",
  plural: "things",
  description: "Something to list.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Whose it is." }),
    word: nullable(text(40, { minLength: 0, sort: "everyone", filter: "everyone", description: "A word." })),
    state: choice(["new", "old"], { sort: "everyone", filter: "everyone", description: "A state." }),
    count: nullable(integer({ sort: "everyone", filter: "everyone", description: "A count." })),
    price: decimal({ digits: 6, decimals: 2, sort: "everyone", filter: "everyone", description: "A price." }),
    day: date({ sort: "everyone", filter: "everyone", description: "A day." }),
    done: nullable(boolean({ filter: "everyone", description: "Whether it is done." })),
  },
  owner: "user_id",
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
});

const all = allRows("property");
const owners = [idNumber(1), idNumber(2)];
const moment = "2026-01-01T00:00:00.000Z";

/**
 * Letters that some collation treats as equal, or that mean something else in a pattern: case,
 * accents, width, blanks, joiners, LIKE and regular expressions.
 */
const letters = [
  "a",
  "A",
  "b",
  "z",
  "Z",
  "ä",
  "Ä",
  "á",
  "a\u0301",
  "ß",
  "ss",
  "İ",
  "i",
  "I",
  "ı",
  "K",
  "\u212A",
  "ａ",
  "k",
  " ",
  "  ",
  "%",
  "_",
  "\\",
  "'",
  '"',
  "`",
  "?",
  "*",
  ".",
  "[",
  "]",
  "^",
  "$",
  "(",
  "|",
  "+",
  "{",
  "0",
  "9",
  "é",
  "ﬀ",
  "ff",
  "中",
  "😀",
  "\u{1F468}\u200D\u{1F469}",
  "\u00A0",
  "-",
];
const words = fc
  .array(fc.constantFrom(...letters, "a", "A", "k", "K", "i", "I"), { maxLength: 5 })
  .map((parts) => parts.join(""));
/** Short texts of few letters, so that searches find some of them. */
const pieces = fc
  .array(fc.constantFrom("a", "A", "z", "ä", "Ä", "K", "k", "\u212A", "i", "I", "İ", "%", "_", ".", "*", "[", "^"), {
    maxLength: 2,
  })
  .map((parts) => parts.join(""));
const values = {
  user_id: fc.constantFrom(...owners),
  word: fc.option(words),
  state: fc.constantFrom("new", "old"),
  count: fc.option(fc.constantFrom(-1, 0, 1, 2, 10, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER)),
  price: fc.constantFrom(-0.01, 0, 0.1, 0.3, 9.99, 10, 9999.99),
  day: fc.constantFrom("2024-02-29", "2024-12-31", "2025-01-01"),
  done: fc.option(fc.boolean()),
};
const things = fc.uniqueArray(fc.record({ n: fc.integer({ min: 10, max: 10_000 }), ...values }), {
  maxLength: 25,
  selector: ({ n }) => n,
});
type Thing = Record<keyof typeof values, FieldValue> & { n: number };
const rowOf = ({ n, ...given }: Thing): Row => ({ id: idNumber(n), ...given, created_at: moment, updated_at: moment });

const sortable = ["word", "state", "count", "price", "day", "id"] as const;
const orders = fc
  .uniqueArray(
    fc.record({ field: fc.constantFrom(...sortable), direction: fc.constantFrom("asc" as const, "desc" as const) }),
    {
      minLength: 1,
      maxLength: 3,
      selector: ({ field }) => field,
    },
  )
  .map((keys): readonly SortKey[] =>
    keys.some(({ field }) => field === "id")
      ? keys.slice(0, keys.findIndex(({ field }) => field === "id") + 1)
      : [...keys, { field: "id", direction: keys.at(-1)?.direction ?? "asc" }],
  );

const comparisons = fc.constantFrom(
  "eq" as const,
  "ne" as const,
  "lt" as const,
  "lte" as const,
  "gt" as const,
  "gte" as const,
);
const leaf = fc.oneof(
  ...(["word", "state", "count", "price", "day", "done"] as const).map((field) =>
    fc.record({ field: fc.constant(field), op: comparisons, value: values[field] }),
  ),
  fc.record({
    field: fc.constant("word"),
    op: fc.constantFrom("contains" as const, "starts_with" as const),
    value: pieces,
  }),
  fc.record({ field: fc.constant("word"), in: fc.array(words, { maxLength: 4 }) }),
  fc.record({ field: fc.constant("count"), notIn: fc.array(fc.integer({ min: -1, max: 3 }), { maxLength: 4 }) }),
  fc.record({
    via: fc.constant("user_id"),
    resource: fc.constant("user"),
    where: fc.record({
      field: fc.constant("name"),
      op: fc.constant("eq" as const),
      value: fc.constantFrom("User 1", "User 2"),
    }),
  }),
);
const conditions: fc.Arbitrary<Condition> = fc.oneof(
  leaf,
  fc.record({ all: fc.array(leaf, { maxLength: 3 }) }),
  fc.record({ any: fc.array(leaf, { maxLength: 3 }) }),
);

/** The model: what orders and conditions mean, written again in the plainest way. */
const codePoints = (value: string): number[] => [...value].map((character) => character.codePointAt(0) ?? 0);
const compare = (a: FieldValue, b: FieldValue): number => {
  if (typeof a !== "string" || typeof b !== "string") return Number(a) - Number(b);
  const [left, right] = [codePoints(a), codePoints(b)];
  const at = left.findIndex((point, index) => point !== right[index]);
  if (at === -1) return left.length - right.length;
  return at >= right.length ? 1 : (left[at] ?? 0) - (right[at] ?? 0);
};
const ordered = (rows: readonly Row[], order: readonly SortKey[]): readonly Row[] =>
  [...rows].sort((left, right) => {
    for (const { field, direction } of order) {
      const [a, b] = [left[field] ?? null, right[field] ?? null];
      if (a === null && b === null) continue;
      if (a === null) return 1;
      if (b === null) return -1;
      const difference = compare(a, b);
      if (difference !== 0) return direction === "asc" ? difference : -difference;
    }
    return 0;
  });
/** The form in which words are stored and compared. */
const inNfc = <Value>(value: Value): Value => (typeof value === "string" ? (value.normalize("NFC") as Value) : value);
const lower = (value: string): string =>
  value.replaceAll(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32));
const holds = (row: Row, condition: Condition): boolean => {
  if ("all" in condition) return condition.all.every((part) => holds(row, part));
  if ("any" in condition) return condition.any.some((part) => holds(row, part));
  if ("via" in condition)
    return "value" in condition.where && condition.where.value === (row.user_id === owners[0] ? "User 1" : "User 2");
  const value = row[condition.field] ?? null;
  if ("in" in condition) return condition.in.some((each) => inNfc(each) === value);
  if ("notIn" in condition) return value !== null && condition.notIn.every((each) => each !== value);
  if (condition.value === null) return condition.op === "eq" ? value === null : condition.op === "ne" && value !== null;
  if (value === null) return false;
  if (condition.op === "contains") return lower(String(value)).includes(lower(inNfc(String(condition.value))));
  if (condition.op === "starts_with") return lower(String(value)).startsWith(lower(inNfc(String(condition.value))));
  const difference = compare(value, inNfc(condition.value));
  return {
    eq: difference === 0,
    ne: difference !== 0,
    lt: difference < 0,
    lte: difference <= 0,
    gt: difference > 0,
    gte: difference >= 0,
  }[condition.op];
};

const idsOf = (rows: readonly Row[]): unknown[] => rows.map(({ id }) => id);
const placeOf = (row: Row, order: readonly SortKey[]): Place =>
  order.map(({ field }) => {
    const value = row[field];
    return typeof value === "string" || typeof value === "number" ? value : null;
  });

const filled = async ({ resources }: Storage, rows: readonly Row[]): Promise<void> => {
  await resources.deleteWhere(thing, all, { all: [] });
  for (const row of rows) await resources.insert(thing, row);
};

/** The same promises for each adapter, with as many `runs` as its speed allows. */
const promises = (storageOf: () => Promise<Storage>, runs: number): void => {
  let opened: Promise<Storage> | undefined;
  const ready = (): Promise<Storage> => {
    opened ??= storageOf().then(async (storage) => {
      for (const n of [1, 2]) await storage.resources.insert(user, userRow(n));
      return storage;
    });
    return opened;
  };

  test("sort, filter, count and limit like a plain model", { timeout: 120_000 }, async () => {
    const storage = await ready();
    await fc.assert(
      fc.asyncProperty(
        things,
        fc.array(fc.tuple(orders, conditions), { minLength: 4, maxLength: 8 }),
        fc.integer({ min: 1, max: 30 }),
        async (given, queries, limit) => {
          const rows = given.map(rowOf);
          await filled(storage, rows);
          const stored = rows.map((row) => ({ ...row, word: inNfc(row.word ?? null) }));
          for (const [order, where] of queries) {
            const expected = ordered(
              stored.filter((row) => holds(row, where)),
              order,
            );
            const found = await storage.resources.list(thing, { scope: all, where, order, limit });
            expect(idsOf(found)).toEqual(idsOf(expected.slice(0, limit)));
            expect(found).toEqual(expected.slice(0, limit).map((row) => ({ ...row, revision: 1 })));
            expect(await storage.resources.count(thing, { scope: all, where }, 1000)).toBe(expected.length);
          }
        },
      ),
      { numRuns: runs },
    );
  });

  test("page through every row once, in both directions, while others come and go", { timeout: 120_000 }, async () => {
    const storage = await ready();
    const { resources } = storage;
    const scenario = fc.record({
      given: things,
      order: orders,
      backwards: fc.boolean(),
      limit: fc.integer({ min: 1, max: 4 }),
      // Between two pages: rows that are deleted, by their place in the data, and rows that are
      // added.
      meanwhile: fc.array(
        fc.oneof(
          fc.record({ remove: fc.nat(30) }),
          fc.record({ add: fc.record({ n: fc.integer({ min: 10_001, max: 20_000 }), ...values }) }),
        ),
        { maxLength: 12 },
      ),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ given, order, backwards, limit, meanwhile }) => {
        const rows = given.map(rowOf);
        await filled(storage, rows);
        const removed = new Set<unknown>();
        const added = new Set<unknown>();
        const seen: Row[] = [];
        const changes = [...meanwhile];
        let place: Place | undefined = backwards ? [] : undefined;
        for (let page = 0; ; page += 1) {
          expect(page).toBeLessThan(60);
          const found: readonly Row[] = await resources.list(thing, {
            scope: all,
            order,
            limit,
            ...(place === undefined ? {} : backwards ? { before: place } : { after: place }),
          });
          if (found.length === 0) break;
          if (backwards) seen.unshift(...found);
          else seen.push(...found);
          const border = backwards ? found[0] : found.at(-1);
          if (border !== undefined) place = placeOf(border, order);
          const change = changes.shift();
          if (change === undefined) continue;
          if ("add" in change) {
            const row = rowOf(change.add);
            if (added.has(row.id)) continue;
            added.add(row.id);
            await resources.insert(thing, row);
          } else {
            const row = change.remove % 3 === 0 ? border : rows[change.remove % Math.max(rows.length, 1)];
            if (row === undefined) continue;
            removed.add(row.id);
            await resources.delete(thing, String(row.id), all);
          }
        }
        const ids = idsOf(seen);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toEqual(idsOf(ordered(seen, order)));
        for (const { id } of rows) if (!removed.has(id)) expect(ids).toContain(id);
        for (const id of ids) expect(added.has(id) || rows.some((row) => row.id === id)).toBe(true);
      }),
      { numRuns: runs },
    );
  });

  test("show no row outside the scope, whatever is asked for", { timeout: 120_000 }, async () => {
    const storage = await ready();
    const { resources } = storage;
    const [mine = ""] = owners;
    const scope: AccessScope = scopeOf({ field: "user_id", op: "eq", value: mine });
    await fc.assert(
      fc.asyncProperty(things, orders, conditions, things, async (given, order, where, elsewhere) => {
        const rows = given.map(rowOf);
        await filled(storage, rows);
        const foreign = new Set(rows.filter(({ user_id }) => user_id !== mine).map(({ id }) => id));
        const places = elsewhere.slice(0, 2).map((each) => placeOf(rowOf(each), order));
        const answers = [
          await resources.list(thing, { scope, where, order, limit: 100 }),
          await resources.list(thing, { scope, where: { any: [where, { all: [] }] }, order, limit: 100, before: [] }),
          ...(await Promise.all(
            places.map((after) => resources.list(thing, { scope, where, order, limit: 100, after })),
          )),
          ...(await Promise.all(places.map((before) => resources.list(thing, { scope, order, limit: 100, before })))),
          await resources.findEach(
            thing,
            rows.map(({ id }) => String(id)),
            scope,
          ),
          await resources.listBelow(thing, { scope, parents: { field: "user_id", ids: owners }, order, limit: 100 }),
        ];
        for (const { id } of answers.flat()) expect(foreign.has(id)).toBe(false);
        const own = rows.length - foreign.size;
        expect(await resources.count(thing, { scope }, 1000)).toBe(own);
        expect(answers.at(-1)).toHaveLength(own);
        expect(answers.at(-2)).toHaveLength(own);
      }),
      { numRuns: runs },
    );
  });
};

describe("lists in memory", () => promises(async () => memoryStorage(), 200));

onEachDatabase("lists", (databases) => {
  promises(
    async () => {
      const { storage, migrate } = openStorage({
        url: await databases.prepared(),
        resources: [thing],
        durability: "relaxed",
      });
      await migrate.latest();
      return storage;
    },
    databases.name === "SQLite" ? 60 : 25,
  );
});
