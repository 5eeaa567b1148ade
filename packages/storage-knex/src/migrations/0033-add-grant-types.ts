import { addColumn, type ColumnTypes, type Migration } from "./migration.ts";

/** How loopback addresses begin in the stored JSON, with a pattern for each. */
const loopbacks = [
  { prefix: "http://127.0.0.1", pattern: '"http://127[.]0[.]0[.]1:[0-9]+' },
  // The dots match brackets, which MariaDB and MySQL escape differently. No other host has this
  // form.
  { prefix: "http://[::1]", pattern: '"http://.::1.:[0-9]+' },
] as const;

/**
 * Before this step, the port of a loopback address was not compared. From now on, only an address
 * without a port stands for all ports. So the stored loopback addresses of clients lose their
 * ports.
 */
const withoutLoopbackPorts = ({ server }: ColumnTypes): readonly string[] =>
  loopbacks.map(({ prefix, pattern }) => {
    const begin = `${prefix}:`;
    const found = `redirect_uris LIKE '%"${begin}%'`;
    if (server !== "sqlite") {
      return `UPDATE \`oauth_clients\` SET redirect_uris = REGEXP_REPLACE(redirect_uris, '${pattern}', '"${prefix}') WHERE ${found}`;
    }
    const bare = `'${prefix}' || ltrim(substr(value, ${begin.length + 1}), '0123456789')`;
    const each = `CASE WHEN substr(value, 1, ${begin.length}) = '${begin}' THEN ${bare} ELSE value END`;
    return `UPDATE \`oauth_clients\` SET redirect_uris = (SELECT json_group_array(${each}) FROM json_each(redirect_uris)) WHERE ${found}`;
  });

/**
 * Says how clients may get tokens. Existing clients have no value and may do what they could
 * before.
 */
export const addGrantTypes: Migration = {
  name: "0033-add-grant-types",
  part: "users",
  up: (types) => [
    ...addColumn(types, "oauth_clients", { name: "grant_types", type: `${types.json} NULL` }),
    ...withoutLoopbackPorts(types),
  ],
  down: () => ["ALTER TABLE oauth_clients DROP COLUMN grant_types"],
};
