import {
  allRows,
  boolean,
  choice,
  date,
  decimal,
  defineResource,
  type Field,
  instant,
  integer,
  nullable,
  ownedBy,
  type Resource,
  reference,
  type Storage,
  text,
} from "@postern/core";
import { memoryStorage } from "@postern/core/memory";
import { describe, expect, test } from "vitest";
import { onEachDatabase, openStorage } from "../databases.ts";
import { type Caller, callerOn, storeUsers, userId, type Who } from "./caller.ts";
import { type Draw, holds, lawTimeoutMs } from "./law.ts";

/** Letters that a collation, a pattern or a parser could take for something else. NFC leaves each as it is. */
const letters = [
  "a",
  "A",
  "z",
  "Z",
  "ä",
  "ß",
  "İ",
  "K",
  "\u017F",
  "%",
  "_",
  "\\",
  "'",
  "b c",
  "𝒵",
  "\u{FFFD}",
  "\u{FFFF}",
  "[",
  "^",
  ",",
  "%2C",
  "+&=",
];
const word = (draw: Draw): string => Array.from({ length: draw.from(1, 3) }, () => draw.one(letters)).join("");

type Value = string | number | boolean | null;

/** A kind of field: how it is declared, values that it takes, values that it refuses. */
interface Kind {
  readonly make: (options: { readonly description: string }) => Field;
  readonly value: (draw: Draw) => Value;
  readonly wrong: readonly unknown[];
  readonly ordered: boolean;
  readonly ops: readonly string[];
}

const words = ["eq", "ne", "in", "nin"];
const numbers = [...words, "lt", "lte", "gt", "gte"];
const kinds: readonly Kind[] = [
  {
    make: (options) => text(12, options),
    value: word,
    wrong: [5, "", "x".repeat(13), {}],
    ordered: true,
    ops: [...words, "contains", "starts_with"],
  },
  {
    make: (options) => integer({ min: -9, max: 9, ...options }),
    value: (draw) => draw.from(-9, 9),
    wrong: [10, "1", 1.5],
    ordered: true,
    ops: numbers,
  },
  {
    make: (options) => decimal({ digits: 4, decimals: 2, ...options }),
    value: (draw) => draw.from(-999, 999) / 100,
    wrong: [100, 1.234, "1"],
    ordered: true,
    ops: numbers,
  },
  {
    make: (options) => boolean(options),
    value: (draw) => draw.chance(0.5),
    wrong: [0, "true"],
    ordered: false,
    ops: ["eq", "ne"],
  },
  {
    make: (options) => choice(["new", "ältere", "z"], options),
    value: (draw) => draw.one(["new", "ältere", "z"]),
    wrong: ["New", 1],
    ordered: true,
    ops: words,
  },
  {
    make: (options) => date(options),
    value: (draw) => `20${draw.from(10, 12)}-0${draw.from(1, 3)}-11`,
    wrong: ["2020-02-30", 5],
    ordered: true,
    ops: numbers,
  },
  {
    make: (options) => instant(options),
    value: (draw) => `20${draw.from(10, 12)}-01-01T0${draw.from(0, 3)}:00:00.000Z`,
    wrong: ["yesterday", 5],
    ordered: true,
    ops: numbers,
  },
];

interface DrawnField {
  readonly name: string;
  readonly kind: Kind;
  readonly field: Field;
}

interface Declared {
  readonly resource: Resource;
  readonly fields: readonly DrawnField[];
}

type FieldAudience = Field["read"];

const audiences: readonly FieldAudience[] = ["everyone", "everyone", "everyone", "admin", "nobody"];
const breadth = { nobody: 0, admin: 1, everyone: 2 } as const;
const narrower = (one: FieldAudience, other: FieldAudience): FieldAudience =>
  breadth[one] < breadth[other] ? one : other;

const drawField = (draw: Draw, name: string): DrawnField => {
  const kind = draw.one(kinds);
  const made = kind.make({ description: `The ${name}.` });
  const read = draw.one(audiences);
  const write = draw.one(audiences);
  const filter = narrower(read, draw.one(audiences));
  const sort = kind.ordered ? narrower(read, draw.one(audiences)) : "nobody";
  const isNullable = draw.chance(0.3);
  // A field that not every caller may write needs a default, or new rows would lack it.
  const hasDefault = write !== "everyone" || draw.chance(0.4);
  const value = hasDefault ? { default: kind.value(draw) } : {};
  const field: Field = { ...made, read, write, filter, sort, ...value };
  return { name, kind, field: isNullable ? nullable(field) : field };
};

const drawDeclaration = (draw: Draw): Declared => {
  const names = draw.shuffled(["order", "group", "status", "limit", "label", "total"]).slice(0, draw.from(1, 5));
  const fields = names.map((name) => drawField(draw, name));
  const rule = ownedBy("user_id");
  return {
    fields,
    resource: defineResource({
      name: "thing",
      plural: "things",
      description: "A thing.",
      fields: {
        user_id: reference("user", { onDelete: "cascade", as: "owner", description: "Whose." }),
        ...Object.fromEntries(fields.map(({ name, field }) => [name, field])),
      },
      owner: "user_id",
      access: { read: rule, update: rule, delete: rule },
    }),
  };
};

/** A row as the oracle keeps it: every field, seen or not. */
interface Kept {
  readonly owner: Who;
  id: string;
  values: Record<string, Value>;
}

const may = (audience: FieldAudience, who: Who): boolean =>
  audience === "everyone" || (audience === "admin" && who === "root");

/** What the declarations promise, written again in the plainest way. */
class Oracle {
  readonly rows: Kept[] = [];
  readonly fields: readonly DrawnField[];

  constructor(fields: readonly DrawnField[]) {
    this.fields = fields;
  }

  visible(who: Who): Kept[] {
    return this.rows.filter(({ owner }) => who === "root" || owner === who);
  }

  shown({ values }: Kept, who: Who): Record<string, Value> {
    const seen = this.fields.filter(({ field }) => may(field.read, who));
    return Object.fromEntries(seen.map(({ name }) => [name, values[name] ?? null]));
  }

  /** The values after a write; `undefined` if it is refused. */
  written(
    who: Who,
    method: "POST" | "PUT" | "PATCH",
    given: Record<string, unknown>,
    before?: Kept,
  ): Record<string, Value> | undefined {
    const after: Record<string, Value> = { ...before?.values };
    for (const { name, kind, field } of this.fields) {
      const { read, write } = field;
      const open = may(write, who);
      const isGiven = Object.hasOwn(given, name);
      const value = given[name];
      if (!isGiven) {
        const reset = method === "POST" || (method === "PUT" && write === "everyone" && may(read, who));
        if (!reset) continue;
        if (field.default !== undefined) after[name] = field.default as Value;
        else if (write === "everyone") return undefined;
        continue;
      }
      if (read === "nobody" && write === "nobody") return undefined;
      // A null in a patch removes a value. A field that cannot be null gets its default again, if
      // it has one.
      const removed = value === null && method === "PATCH" && !field.nullable;
      if (removed && write === "everyone" && field.default !== undefined) {
        after[name] = field.default as Value;
        continue;
      }
      const wrong = kind.wrong.includes(value) || (value === null && !field.nullable);
      if (!open) {
        // A caller who may see a field but not write it may send it unchanged.
        if (method === "POST" || !may(read, who) || value !== before?.values[name]) return undefined;
        continue;
      }
      if (wrong) return undefined;
      after[name] = value as Value;
    }
    return after;
  }
}

const compare = (left: Value, right: Value): number => {
  if (typeof left === "string" && typeof right === "string")
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return Number(left) - Number(right);
};
const folded = (value: Value): string => String(value).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

const satisfies = (value: Value, op: string, operands: readonly Value[]): boolean => {
  const [operand = null] = operands;
  if (value === null) return false;
  const order = compare(value, operand);
  const results: Record<string, boolean> = {
    eq: order === 0,
    ne: order !== 0,
    lt: order < 0,
    lte: order <= 0,
    gt: order > 0,
    gte: order >= 0,
    in: operands.some((one) => compare(value, one) === 0),
    nin: operands.every((one) => compare(value, one) !== 0),
    contains: folded(value).includes(folded(operand)),
    starts_with: folded(value).startsWith(folded(operand)),
  };
  return results[op] ?? false;
};

const people: readonly Who[] = ["ada", "ada", "bob", "root"];

const drawBody = (draw: Draw, fields: readonly DrawnField[], who: Who, complete: boolean): Record<string, unknown> => {
  const body: Record<string, unknown> = {};
  for (const { name, kind, field } of fields) {
    const open = may(field.write, who);
    const needed = complete && open && field.default === undefined;
    if (!needed && !draw.chance(open ? 0.5 : 0.08)) continue;
    body[name] = draw.chance(0.06) ? draw.one(kind.wrong) : draw.chance(0.08) ? null : kind.value(draw);
  }
  return body;
};

/** One request in the world, and what the oracle expects of its answer. */
const step = async (draw: Draw, { call }: Caller, oracle: Oracle): Promise<void> => {
  const who = draw.one(people);
  const row = oracle.rows.length === 0 ? undefined : draw.one(oracle.rows);
  const sees = row !== undefined && (who === "root" || row.owner === who);
  const method = draw.one(["POST", "POST", "GET", "PUT", "PATCH", "PATCH", "DELETE", "LIST", "LIST", "BACK"] as const);
  const path = `/things/${row?.id}`;

  if (method === "LIST") return listed(draw, call, oracle, who);
  if (method === "POST" || row === undefined) {
    const body = drawBody(draw, oracle.fields, who, true);
    const values = oracle.written(who, "POST", body);
    const { status, body: made } = await call(who, "POST", "/things", body);
    expect(status, `POST ${JSON.stringify(body)} by ${who}: ${JSON.stringify(made)}`).toBe(
      values === undefined ? 400 : 201,
    );
    if (values === undefined) return;
    const kept: Kept = { owner: who, id: made.id, values };
    oracle.rows.push(kept);
    expect(made).toMatchObject(oracle.shown(kept, who));
    return;
  }
  if (method === "GET") {
    const { status, body } = await call(who, "GET", path);
    expect(status).toBe(sees ? 200 : 404);
    if (sees) {
      const { id, user_id, created_at: _created, updated_at: _updated, ...values } = body;
      expect({ id, user_id, values }).toEqual({
        id: row.id,
        user_id: userId(row.owner),
        values: oracle.shown(row, who),
      });
    }
    return;
  }
  if (method === "DELETE") {
    const { status } = await call(who, "DELETE", path);
    expect(status).toBe(sees ? 204 : 404);
    if (sees) oracle.rows.splice(oracle.rows.indexOf(row), 1);
    return;
  }
  if (method === "BACK") {
    if (!sees) return;
    const { body: read } = await call(who, "GET", path);
    const { status, body } = await call(who, "PUT", path, read);
    expect(status, `PUT of what ${who} read, ${JSON.stringify(read)}: ${JSON.stringify(body)}`).toBe(200);
    return;
  }
  const body = drawBody(draw, oracle.fields, who, method === "PUT");
  const values = sees ? oracle.written(who, method, body, row) : undefined;
  const { status, body: answer } = await call(who, method, path, body);
  const told = `${method} ${JSON.stringify(body)} by ${who} on ${JSON.stringify(row.values)}: ${JSON.stringify(answer)}`;
  // A body with a fault of its own may be refused before the row is searched for.
  if (!sees) expect([404, 400], told).toContain(status);
  else expect(status, told).toBe(values === undefined ? 400 : 200);
  if (values === undefined) return;
  row.values = values;
  expect(answer, told).toMatchObject(oracle.shown(row, who));
};

/** Reads a list to its end, page by page, and compares it with the oracle's. */
const listed = async (draw: Draw, call: Caller["call"], oracle: Oracle, who: Who): Promise<void> => {
  const filtered = draw.some(oracle.fields, 0.3).map(({ name, kind, field }) => {
    const op = draw.one(kind.ops);
    const count = op === "in" || op === "nin" ? draw.from(1, 3) : 1;
    const operands = Array.from({ length: count }, () => kind.value(draw));
    return { name, field, op, operands };
  });
  const sorted = draw
    .some(oracle.fields, 0.3)
    .slice(0, 2)
    .map((one) => ({ ...one, down: draw.chance(0.5) }));
  // As the document prescribes: each value is encoded by itself, and the commas between them are not.
  const parameters: (readonly [string, readonly unknown[]])[] = [
    ["limit", [draw.from(1, 4)]],
    ...filtered.map(({ name, op, operands }) => [`filter[${name}][${op}]`, operands] as const),
    ...(sorted.length === 0 ? [] : [["sort", sorted.map(({ name, down }) => (down ? `-${name}` : name))] as const]),
  ];
  const selected = [
    "id",
    ...draw.some(oracle.fields).flatMap(({ name, field }) => (may(field.read, who) ? [name] : [])),
  ];
  if (draw.chance(0.3)) parameters.push(["fields", selected]);
  if (draw.chance(0.3)) parameters.push(["include", ["owner"]]);
  const written = ([name, values]: (typeof parameters)[number]): string =>
    `${encodeURIComponent(name)}=${values.map((value) => encodeURIComponent(String(value))).join(",")}`;
  const query = parameters.map(written).join("&");
  const allowed = [...filtered.map(({ field }) => field.filter), ...sorted.map(({ field }) => field.sort)].every(
    (audience) => may(audience, who),
  );
  const expected = oracle
    .visible(who)
    .filter(({ values }) => filtered.every(({ name, op, operands }) => satisfies(values[name] ?? null, op, operands)))
    .toSorted((one, other) => {
      for (const { name, down } of sorted) {
        const [left, right] = [one.values[name] ?? null, other.values[name] ?? null];
        if (left === null || right === null) {
          if (left !== right) return left === null ? 1 : -1;
          continue;
        }
        const order = compare(left, right);
        if (order !== 0) return down ? -order : order;
      }
      // Rows that are otherwise equal come in the direction of the last key.
      return (sorted.at(-1)?.down === true ? -1 : 1) * compare(one.id, other.id);
    })
    .map(({ id }) => id);
  const found: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const at = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await call(who, "GET", `/things?${query}${at}`);
    expect(status, `${who}: ${query} ${JSON.stringify(body)}`).toBe(allowed ? 200 : 400);
    if (!allowed) return;
    found.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.page.next_cursor;
  }
  expect(found, `${who}: ${query}`).toEqual(expected);
};

const live = async (draw: Draw, declared: Declared, storage: Storage): Promise<void> => {
  await storeUsers(storage);
  const caller = callerOn({ parts: ["users"], resources: [declared.resource] }, storage);
  const oracle = new Oracle(declared.fields);
  for (let n = 0; n < 60; n += 1) await step(draw, caller, oracle);
  const all = await storage.resources.count(declared.resource, { scope: allRows("law") }, 1000);
  expect(all).toBe(oracle.rows.length);
};

describe("a random declaration", () => {
  test("does in memory what it says", { timeout: lawTimeoutMs }, () =>
    holds("declarations in memory", (draw) => live(draw, drawDeclaration(draw), memoryStorage())),
  );
});

onEachDatabase("a random declaration", ({ name, url }) => {
  test("does what it says", { timeout: lawTimeoutMs }, () =>
    holds(`declarations on ${name}`, async (draw) => {
      const declared = drawDeclaration(draw);
      const { migrate, storage, close } = openStorage({
        url: url(),
        resources: [declared.resource],
        parts: ["users"],
        connections: 3,
      });
      await migrate.latest();
      await live(draw, declared, storage);
      await close();
    }),
  );
});
