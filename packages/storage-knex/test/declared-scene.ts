import { user } from "@postern/app";
import {
  allRows,
  decimal,
  defineResource,
  type Field,
  ownedBy,
  prose,
  type Resource,
  reference,
  text,
} from "@postern/core";
import { idNumber, userRow } from "@postern/core/testing";
import { expect } from "vitest";
import { MigrationRefused } from "../src/index.ts";
import { openStorage, type TestDatabases, withKnex } from "./databases.ts";

const owner = reference("user", { onDelete: "cascade", description: "Whose it is." });
export const resource = (fields: Record<string, Field>, changes: Partial<Resource> = {}): Resource =>
  defineResource({
    name: "invoice",
    plural: "invoices",
    description: "What somebody has to pay.",
    fields: { user_id: owner, ...fields },
    owner: "user_id",
    access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
    ...changes,
  });

export const number = text(20, { unique: true, filter: "everyone", sort: "everyone", description: "Its number." });
export const amount = decimal({ digits: 12, decimals: 2, sort: "everyone", description: "How much." });
export const note = prose(1000, { description: "A note." });
export const invoice = resource({ number, amount });

export const all = allRows("test");
export const times = { created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z" };
export const row = (n: number, changes = {}) => ({
  id: idNumber(n),
  user_id: idNumber(1),
  number: `R-${n}`,
  amount: n,
  ...times,
  ...changes,
});

/** Helpers for tests of declared tables on one kind of database. */
export const tablesOn = (databases: TestDatabases) => {
  /** A database in which `invoice` has its table with this many rows. */
  const withInvoices = async (rows: number, declared: Resource = invoice): Promise<string> => {
    const url = await databases.prepared();
    const { migrate, storage, close } = openStorage({ url, resources: [declared] });
    await migrate.latest();
    await storage.resources.insert(user, userRow(1));
    for (let n = 1; n <= rows; n += 1) await storage.resources.insert(declared, row(n));
    await close();
    return url;
  };
  const migrated = async (url: string, ...resources: readonly Resource[]) => {
    const opened = openStorage({ url, resources });
    const taken = await opened.migrate.latest();
    return { ...opened, taken };
  };
  const refusal = async (url: string, declared: Resource): Promise<string> => {
    const { migrate } = openStorage({ url, resources: [declared] });
    const before = await structureOf(databases, url);
    const plan = await migrate.plan();
    const thrown = await migrate.latest().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(MigrationRefused);
    if (!(thrown instanceof MigrationRefused)) return "";
    expect(plan.refused).toEqual(thrown.refused);
    expect(await structureOf(databases, url)).toEqual(before);
    for (const { byHand } of thrown.refused)
      for (const statement of byHand) expect(thrown.message).toContain(statement.split("\n")[0]);
    return thrown.refused.map(({ problem }) => problem).join("; ");
  };
  return { withInvoices, migrated, refusal };
};

/** Every table with its columns and indexes, as the database reports them. */
export const structureOf = (databases: TestDatabases, url: string): Promise<readonly unknown[]> =>
  withKnex(url, async (db) => {
    const queries = {
      SQLite: "SELECT name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name, tbl_name",
      MariaDB: `SELECT c.table_name, c.column_name, c.column_type, c.is_nullable, c.column_default, c.collation_name,
             s.indexes
           FROM information_schema.columns c LEFT JOIN (
             SELECT table_name, column_name, GROUP_CONCAT(CONCAT(index_name, seq_in_index, non_unique) ORDER BY index_name) AS indexes
               FROM information_schema.statistics WHERE table_schema = DATABASE() GROUP BY table_name, column_name
           ) s ON s.table_name = c.table_name AND s.column_name = c.column_name
          WHERE c.table_schema = DATABASE() ORDER BY c.table_name, c.ordinal_position`,
      PostgreSQL: `SELECT table_name, column_name, data_type, character_maximum_length, numeric_precision, numeric_scale,
             is_nullable, column_default, collation_name,
             (SELECT string_agg(indexdef, ';' ORDER BY indexname) FROM pg_indexes WHERE tablename = table_name) AS indexes
           FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position`,
    };
    const answer = await db.raw(queries[databases.name]);
    if (databases.name === "SQLite") return answer;
    return databases.name === "MariaDB" ? answer[0] : answer.rows;
  });
