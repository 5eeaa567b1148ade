import { addColumn, type ColumnTypes, type Migration, type Step } from "./migration.ts";

const tables = ["sessions", "grants"] as const;
const columns = ["previous_digest", "successor", "successor_until"] as const;

const added = (types: ColumnTypes, table: string): readonly Step[] => {
  const { hasPartialIndexes, ascii, longText, moment } = types;
  const of = {
    previous_digest: `${ascii(255)} NULL`,
    successor: `${longText} NULL`,
    successor_until: `${moment} NULL`,
  };
  const indexes = [{ name: "successor_until", columns: "successor_until" }];
  if (hasPartialIndexes) {
    return columns.flatMap((name) =>
      addColumn(types, table, { name, type: of[name] }, name === "successor_until" ? indexes : []),
    );
  }
  const rest = columns.slice(1).map((name) => `, ADD COLUMN \`${name}\` ${of[name]}`);
  return addColumn(types, table, { name: columns[0], type: of[columns[0]] + rest.join("") }, indexes);
};

/** What sessions and grants know of the last exchange of their refresh token. */
export const addSuccessors: Migration = {
  name: "0040-add-successors",
  part: "users",
  up: (types) => tables.flatMap((table) => added(types, table)),
  down: ({ hasPartialIndexes }) =>
    tables.flatMap((table) => [
      ...(hasPartialIndexes ? [`DROP INDEX IF EXISTS \`${table}_successor_until\``] : []),
      ...columns.map((column) => `ALTER TABLE \`${table}\` DROP COLUMN \`${column}\``),
    ]),
};
