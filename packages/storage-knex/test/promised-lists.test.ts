import { builtInResources, createApp } from "@postern/app";
import {
  type Condition,
  choice,
  defineResource,
  equals,
  integer,
  type ListQuery,
  ownedBy,
  type Resource,
  reference,
  text,
} from "@postern/core";
import { conditionOf, everything } from "@postern/core/internal";
import { memoryPorts } from "@postern/core/memory";
import type { SortKey } from "@postern/core/ports";
import { idNumber } from "@postern/core/testing";
import { versionOf } from "@postern/rest";
import { expect, test } from "vitest";
import { conjunction } from "../src/engine/condition-to-sql.ts";
import { pageToSql } from "../src/stores/list-order.ts";
import { readColumns } from "../src/stores/read-columns.ts";
import { resourceGraph } from "../src/stores/resource-graph.ts";
import { repositoryParts } from "../src/stores/resource-statements.ts";
import { hasUnchangedApart } from "../src/stores/unchanged-rows.ts";
import { compilingDialect, openStorage, sqlite, withKnex } from "./databases.ts";

const listed = { filter: "everyone", sort: "everyone" } as const;
const fields = {
  user_id: reference("user", { onDelete: "cascade", description: "Whose it is." }),
  number: text(20, { ...listed, unique: true, description: "Its number." }),
  amount: integer({ ...listed, description: "How much." }),
  status: choice(["open", "paid"], { ...listed, default: "open", description: "Where it stands." }),
};
const access = { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") };
const told = { description: "Declared by an application.", owner: "user_id", access } as const;
const lists = [["status", "-created_at"]] as const;
const invoice = defineResource({ ...told, name: "invoice", plural: "invoices", fields, lists });
const payment = defineResource({
  ...told,
  name: "payment",
  plural: "payments",
  fields: {
    ...fields,
    invoice_id: reference("invoice", { onDelete: "cascade", description: "What it pays." }),
  },
  parent: { resource: "invoice", field: "invoice_id", createRequires: "read" },
  lists,
});

const resources = new Map([...builtInResources, invoice, payment].map((each) => [each.name, each]));
const version = versionOf(createApp({ ports: memoryPorts(), resources: [invoice, payment] }).versions, "v1");

/** A list that the API has: the rows below a parent or, without one, all that a caller may read. */
interface PromisedList {
  readonly resource: Resource;
  readonly bound: "parent" | "caller" | "nothing";
}

/**
 * The lists of the resources. A list below a parent is bound to the parent for all callers. Other
 * lists are bound to their owner, and for administrators to nothing. Only the list of all rows of a
 * resource with a parent is bound to nothing for all callers. It has an index for the order by id;
 * other orders are sorted on request, within `query_too_slow`.
 */
const promised: readonly PromisedList[] = [...resources.values()].flatMap((resource): readonly PromisedList[] => {
  if (!version.operations.some(({ id }) => id === `${resource.plural}.list`)) return [];
  return resource.parent === undefined
    ? [
        { resource, bound: "caller" },
        { resource, bound: "nothing" },
      ]
    : [{ resource, bound: "parent" }];
});

const caller = { userId: idNumber(1) };

const boundOf = ({ resource, bound }: PromisedList): Condition => {
  if (bound === "nothing") return everything;
  if (bound === "caller") return conditionOf(resource.access.read, caller);
  const { parent } = resource;
  return equals(parent?.field ?? "", idNumber(2));
};

/** Every order that has an index: each field that can be sorted by, and the declared ones. */
const ordersOf = ({ fields: all, lists: declared = [] }: Resource): readonly (readonly SortKey[])[] => {
  const single = Object.keys(all)
    .filter((name) => all[name]?.sort !== "nobody")
    .flatMap((name) => [[name], [`-${name}`]]);
  return [...single, ...declared].map((keys) => {
    const order = keys.map(
      (key): SortKey => ({ field: key.replace("-", ""), direction: key.startsWith("-") ? "desc" : "asc" }),
    );
    return order.some(({ field }) => field === "id")
      ? order
      : [...order, { field: "id", direction: order.at(-1)?.direction ?? "asc" }];
  });
};

const exampleOf = (field: Resource["fields"][string] | undefined): string | number => {
  const { kind, choices } = field ?? {};
  return kind === "integer" ? 1 : kind === "timestamp" ? "2026-01-01T00:00:00.000Z" : (choices?.[0] ?? "x");
};

const filtersOf = ({ fields: all }: Resource): readonly (readonly [string, Condition])[] => [
  ["", { all: [] }],
  ...Object.entries(all)
    .filter(([, { filter }]) => filter !== "nobody")
    .flatMap(([name, field]): (readonly [string, Condition])[] => [
      [name, equals(name, exampleOf(field))],
      ...(field.kind === "timestamp"
        ? [[`${name} or later`, { field: name, op: "gte", value: exampleOf(field) }] as const]
        : []),
    ]),
];

const statementOf = (list: PromisedList, filter: Condition, query: Pick<ListQuery, "order" | "after" | "before">) => {
  const { resource } = list;
  const { where } = repositoryParts(compilingDialect, resources, resourceGraph(resources));
  const conditions = [boundOf(list), filter];
  return pageToSql(
    {
      source: { resource, alias: resource.table },
      columns: readColumns(compilingDialect, resource, ["id"], 1024),
      where: where(resource, conjunction(conditions)),
      order: query.order,
      limit: 26,
      unchangedApart: hasUnchangedApart(compilingDialect, resource, query.order, conditions),
    },
    query,
  );
};

interface Step {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/** Steps that read all rows of the table, or sort rows before they are cut to a page. */
const badSteps = (steps: readonly Step[], table: string, mayFindFew: boolean): readonly string[] => {
  const isOuter = ({ parent }: Step): boolean =>
    steps.some(({ parent: of, detail }) => of === parent && /\$whole|\$part|COMPOUND/.test(detail)) &&
    !(steps.find(({ id }) => id === parent)?.detail ?? "").includes(table);
  const finds = steps.some(({ detail }) => detail.startsWith(`SEARCH ${table} USING`));
  return steps
    .filter((step) => {
      const { detail } = step;
      if (detail.startsWith(`SCAN ${table}`) && !/USING (COVERING )?INDEX/.test(detail)) return true;
      return detail.includes("TEMP B-TREE") && !isOuter(step) && !(mayFindFew && finds);
    })
    .map(({ detail }) => detail);
};

test("there are lists of each kind", () => {
  const told = promised.map(({ resource, bound }) => `${resource.plural} of ${bound}`);
  expect(told).toEqual([
    "users of caller",
    "users of nothing",
    "sessions of caller",
    "sessions of nothing",
    "api-keys of caller",
    "api-keys of nothing",
    "grants of caller",
    "grants of nothing",
    "outside-identities of parent",
    "posts of parent",
    "comments of parent",
    "invoices of caller",
    "invoices of nothing",
    "payments of parent",
  ]);
});

/** Indexes that no list needs, but the server itself. */
const ownStatements = [
  "account_tokens_by_expires_at",
  "account_tokens_subject_digest",
  "grants_successor_until",
  "sessions_successor_until",
  "user_export_pieces_export_id",
  "user_exports_by_expires_at",
];

test("every pair of filter and order that a list allows uses an index, and every index is needed", async () => {
  const url = sqlite.url();
  const { migrate, close } = openStorage({ url, resources: [invoice, payment] });
  await migrate.latest();
  const bad: string[] = [];
  const used = new Set<string>(ownStatements);
  let pairs = 0;
  await withKnex(url, async (db) => {
    for (const list of promised) {
      const { resource, bound } = list;
      for (const order of ordersOf(resource)) {
        for (const [named, filter] of filtersOf(resource)) {
          pairs += 1;
          const place = order.map(({ field }) => exampleOf(resource.fields[field]));
          for (const border of [{}, { after: place }, { before: place }]) {
            const { sql, values } = statementOf(list, filter, { order, ...border });
            const steps: readonly Step[] = await db.raw(
              `EXPLAIN QUERY PLAN ${sql}`,
              values.map((value) => (value === null ? null : String(value))),
            );
            for (const { detail } of steps) used.add(/USING (?:COVERING )?INDEX ([\w$]+)/.exec(detail)?.[1] ?? "");
            // A filter that finds few rows by an index leaves few to sort.
            for (const step of badSteps(steps, resource.table, named !== "")) {
              bad.push(`${resource.plural} of ${bound} by ${JSON.stringify(order)}, ${named || "all"}: ${step}`);
            }
          }
        }
      }
    }
    // A reference needs an index so that deletions find its rows, and `UNIQUE` is one.
    for (const { table } of resources.values()) {
      const references: readonly { from: string }[] = await db.raw(`PRAGMA foreign_key_list(${table})`);
      for (const { from } of references) used.add(`${table}_${from}`).add(`${table}$${from}`);
    }
    const indexes: readonly { name: string }[] = await db.raw(
      `SELECT list.name AS name FROM sqlite_schema AS made JOIN pragma_index_list(made.name) AS list
       WHERE made.type = 'table' AND list.\`unique\` = 0 AND made.name IN (${[...resources.values()].map(() => "?").join(", ")})`,
      [...resources.values()].map(({ table }) => table),
    );
    expect(indexes.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([]);
  });
  await close();
  expect(bad).toEqual([]);
  expect(pairs).toBeGreaterThan(300);
}, 60_000);
