import { type JobState, jobStates } from "@postern/core/ports";
import type { Knex } from "knex";
import type { Database, Session } from "../engine/database.ts";
import { countRows, findRows, type Page, paged } from "../engine/query-builder.ts";

/**
 * A list is found from the jobs of a state if there are at most this many. Otherwise at most this
 * many rows of the list are checked one by one.
 */
const few = 2_000;

/**
 * Whether more than a few jobs are in one of these states. Each state is counted on its own and is
 * written into the text, so that SQLite uses its partial indexes.
 */
export const areMany = async (
  { dialect }: Database,
  session: Session,
  states: readonly JobState[],
): Promise<boolean> => {
  const queries = states.map((state) => dialect.query("job").whereRaw(`state = ${jobStates[state]}`));
  return (await countRows(session, queries, few + 1)) > few;
};

/**
 * Finds a page of the rows of `table` that `query` selects, if the page lies among the next few
 * rows of the table; otherwise `undefined`. The rows of a backlog are neighbours, so a page of them
 * is near. To gather all rows of the state first takes longer the more there are.
 */
export const nearbyPage = async <Row extends object>(
  { dialect }: Database,
  session: Session,
  { table, query, page }: { readonly table: string; readonly query: Knex.QueryBuilder; readonly page: Page },
): Promise<Row[] | undefined> => {
  const ahead = paged(dialect.query(table).select("id"), { ...page, limit: 1 }).offset(few - 1);
  const [end] = await findRows<{ id: number }>(session, ahead);
  if (end !== undefined) query.where(`${table}.id`, page.after === undefined ? ">=" : "<=", end.id);
  const rows = await findRows<Row>(session, paged(query, page));
  // Without an end, the whole rest of the table was checked.
  return rows.length === page.limit || end === undefined ? rows : undefined;
};
