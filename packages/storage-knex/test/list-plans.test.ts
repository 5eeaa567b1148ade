import { builtInResources, post, user } from "@postern/app";
import { type ListQuery, ownedBy } from "@postern/core";
import { conditionOf } from "@postern/core/internal";
import { idNumber, postRow, userRow } from "@postern/core/testing";
import { expect, test } from "vitest";
import { conjunction } from "../src/engine/condition-to-sql.ts";
import { mysqlDialect } from "../src/mysql/dialect.ts";
import { createPostgresDialect } from "../src/postgres/dialect.ts";
import { pageToSql } from "../src/stores/list-order.ts";
import { readColumns } from "../src/stores/read-columns.ts";
import { resourceGraph } from "../src/stores/resource-graph.ts";
import { repositoryParts } from "../src/stores/resource-statements.ts";
import { hasUnchangedApart } from "../src/stores/unchanged-rows.ts";
import { compilingDialect, onEachDatabase, openKnex, openStorage, withKnex } from "./databases.ts";

const resources = new Map(builtInResources.map((each) => [each.name, each]));

onEachDatabase("a page of a list is read from an index, in order,", (databases) => {
  const sqlite = databases.name === "SQLite";
  const dialect = { SQLite: compilingDialect, MariaDB: mysqlDialect, PostgreSQL: createPostgresDialect() }[
    databases.name
  ];
  const compiler = { resources, dialect };

  /** The statement of a page of a user's posts, as the user asks for it. */
  const pageOf = (order: ListQuery["order"], place: Pick<ListQuery, "after" | "before">) => {
    const source = { resource: post, alias: "posts" };
    const caller = { userId: idNumber(1) };
    const condition = conjunction([conditionOf(post.access.read, caller), conditionOf(ownedBy("user_id"), caller)]);
    const { where: satisfying } = repositoryParts(compiler.dialect, resources, resourceGraph(resources));
    const where = satisfying(post, condition);
    const columns = readColumns(compiler.dialect, post, ["id", "title", "body"], 1024);
    const unchangedApart = hasUnchangedApart(compiler.dialect, post, order, [condition]);
    return pageToSql({ source, columns, where, order, limit: 26, unchangedApart }, place);
  };

  /** The URL of a database with many posts, which the tests only read. */
  let filled: Promise<string> | undefined;
  const fill = async (): Promise<string> => {
    const url = await databases.prepared();
    const { storage, migrate } = openStorage({ url, durability: "relaxed" });
    await migrate.latest();
    await storage.transaction(async (stores) => {
      for (const owner of [1, 2]) await stores.resources.insert(user, userRow(owner));
      for (let n = 1000; n < 4000; n += 1) {
        const moment = new Date(Date.parse("2026-01-01T00:00:00.000Z") + n).toISOString();
        const published_at = n % 2 === 0 ? moment : null;
        await stores.resources.insert(post, postRow(n, idNumber(1), { created_at: moment, published_at }));
      }
    });
    await withKnex(url, (db) => db.raw(databases.name === "MariaDB" ? "ANALYZE TABLE posts" : "ANALYZE"));
    return url;
  };

  test.each([
    ["id", "asc", [idNumber(2500)]],
    ["created_at", "desc", ["2026-01-01T00:00:02.500Z", idNumber(2500)]],
    ["created_at", "asc", ["2026-01-01T00:00:02.500Z", idNumber(2500)]],
    ["updated_at", "desc", ["2026-01-01T00:00:02.500Z", idNumber(2500)]],
    ["updated_at", "asc", ["2026-01-01T00:00:02.500Z", idNumber(2500)]],
    ["title", "asc", ["Post 2500", idNumber(2500)]],
    ["published_at", "asc", ["2026-01-01T00:00:02.500Z", idNumber(2500)]],
    ["published_at", "desc", [null, idNumber(2500)]],
  ] as const)(
    "by %s, %s, wherever it lies",
    async (field, direction, place) => {
      filled ??= fill();
      const db = openKnex(await filled);
      const order: ListQuery["order"] =
        field === "id"
          ? [{ field, direction }]
          : [
              { field, direction },
              { field: "id", direction },
            ];
      try {
        const scanned: string[] = [];
        for (const position of [{}, { after: place }, { before: place }, { before: [] }]) {
          const { sql, values } = pageOf(order, position);
          const answer = await db.raw(
            `${sqlite ? "EXPLAIN QUERY PLAN" : "EXPLAIN"} ${sql}`,
            values.map((value) => (value === null ? null : String(value))),
          );
          if (databases.name === "PostgreSQL") scanned.push(...postgresScans(answer.rows));
          else scanned.push(...(sqlite ? sqliteScans(answer) : mysqlScans(answer[0])));
        }
        expect(scanned).toEqual([]);
      } finally {
        await db.destroy();
      }
    },
    60_000,
  );
});

interface SqliteStep {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/** Steps that read posts otherwise than by an index, or sort them before they are cut to a page. */
const sqliteScans = (steps: readonly SqliteStep[]): readonly string[] =>
  steps
    .filter(({ detail, parent }) => {
      if (/^SCAN posts\b/.test(detail) && !/USING (COVERING )?INDEX/.test(detail)) return true;
      // It does no harm to sort the few rows that the stretches return. That step is beside their
      // co-routines, not in one.
      const inside = steps.find(({ id }) => id === parent)?.detail ?? "";
      return detail.includes("TEMP B-TREE") && !isOuterSort(steps, parent, inside);
    })
    .map(({ detail }) => detail);

const isOuterSort = (steps: readonly SqliteStep[], parent: number, inside: string): boolean =>
  !inside.includes("posts") &&
  steps.some(({ parent: of, detail }) => of === parent && /\$whole|\$part|COMPOUND/.test(detail));

/**
 * On PostgreSQL, a page comes from an index scan below its own limit. A few rows of several stretches
 * may be sorted together above them.
 */
const postgresScans = (steps: readonly { readonly "QUERY PLAN": string }[]): readonly string[] => {
  const lines = steps.map((step) => step["QUERY PLAN"]);
  const depthOf = (line: string): number => line.search(/\S/);
  return lines.filter((line, at) => {
    if (/Seq Scan on posts|Bitmap Heap Scan on posts/.test(line)) return true;
    if (!/\bSort\b\s+\(/.test(line)) return false;
    // The rows below it have been limited already.
    const below = lines.slice(at + 1).filter((next) => depthOf(next) > depthOf(line));
    return !below.some((next) => /\bLimit\b|Subquery Scan|Append/.test(next));
  });
};

interface MysqlStep {
  readonly table: string | null;
  readonly type: string | null;
  readonly key: string | null;
  readonly Extra: string | null;
}

const mysqlScans = (steps: readonly MysqlStep[]): readonly string[] =>
  steps
    .filter(({ table }) => table === "posts")
    .filter(({ type, key, Extra }) => type === "ALL" || key === null || (Extra ?? "").includes("filesort"))
    .map((step) => JSON.stringify(step));
