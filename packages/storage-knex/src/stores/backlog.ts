import { type JobState, jobStates } from "@postern/core";
import type { Knex } from "knex";
import type { Database, Session } from "../database.ts";
import { countRows, findRows, paged } from "../query-builder.ts";

/** Up to so many jobs of a state are found from the state, and up to so many rows of a list are walked to find others. */
const few = 2_000;

/**
 * Whether more than a few jobs are in one of these states. Each is counted by itself and stands in the text,
 * so that SQLite uses its partial indexes.
 */
export const areMany = async (
  { dialect }: Database,
  session: Session,
  states: readonly JobState[],
): Promise<boolean> => {
  const queries = states.map((state) => dialect.query("job").whereRaw(`state = ${jobStates[state]}`));
  return (await countRows(session, queries, few + 1)) > few;
};

interface Page {
  readonly before?: number;
  readonly after?: number;
  readonly limit: number;
}

/**
 * The page of a list of rows of `table` as `query` narrows it, if it lies among the next few rows of the
 * table; `undefined` otherwise. Where a state holds a backlog, its rows are neighbours, and to gather
 * the state's rows first takes the longer the more there are.
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
  // Without an end, the rest of the table was walked.
  return rows.length === page.limit || end === undefined ? rows : undefined;
};
