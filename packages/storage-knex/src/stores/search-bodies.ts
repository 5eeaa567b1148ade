import type { EventStore } from "@postern/core/ports";
import { bufferOf, type Database, idsOf } from "../engine/database.ts";
import { fitting } from "../engine/portions.ts";

type Search = EventStore["searchBodies"];

/**
 * Looks for bytes in bodies. The database compares them, so no body comes into the memory of this
 * process. A body that was deleted has no bytes.
 */
export const searchBodies = async (
  { dialect, read }: Database,
  ids: readonly number[],
  { part, mostBytes }: Parameters<Search>[1],
): ReturnType<Search> => {
  if (ids.length === 0) return { looked: 0, holding: [] };
  return read(async (session) => {
    const all = dialect.anyOf("id", ids);
    // SQLite knows the length without reading the body.
    const lengths = await session.rows<{ id: number; bytes: number }>(
      `SELECT id, OCTET_LENGTH(body) AS bytes FROM inbox_event WHERE ${all.sql}`,
      all.values,
    );
    const bytesOf = new Map(lengths.map(({ id, bytes }) => [id, bytes]));
    const sizes = ids.map((id) => bytesOf.get(id) ?? 0);
    const looked = ids.slice(0, fitting(sizes, mostBytes));
    const these = dialect.anyOf("id", looked);
    const finds = dialect.findsBytes("body", bufferOf(part));
    const rows = await session.rows<{ id: number }>(`SELECT id FROM inbox_event WHERE ${these.sql} AND ${finds.sql}`, [
      ...these.values,
      ...finds.values,
    ]);
    const holding = new Set(idsOf(rows));
    return { looked: looked.length, holding: looked.filter((id) => holding.has(id)) };
  });
};
