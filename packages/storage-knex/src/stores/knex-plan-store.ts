import type { PlanStore, StoredPlan } from "@postern/core/ports";
import type { Knex } from "knex";
import { checkLimit, type Database, idsOf } from "../engine/database.ts";
import { changeQuery, changeRows, countRows, findRows, paged, readQuery } from "../engine/query-builder.ts";
import { requiredJson, storedJson } from "../engine/stored-json.ts";

interface PlanRow {
  readonly id: string;
  readonly state: StoredPlan["state"];
  readonly created_at: number;
  readonly details: string;
}

/** What is stored as JSON. A member without a value is not in it. */
type Details = Omit<StoredPlan, "id" | "state" | "createdAt">;

/** @throws Error for details that cannot be read: such a plan neither runs nor changes. */
const planOf = ({ id, state, created_at: createdAt, details }: PlanRow): StoredPlan => {
  const told = requiredJson<Details>("event_plan.details", id, details);
  const { text, reason, startedAt, endedAt, progress } = told;
  return {
    ...told,
    id,
    state,
    createdAt: Number(createdAt),
    text,
    reason,
    startedAt,
    endedAt,
    progress: { ...progress, nextAt: progress.nextAt },
  };
};

/** The plans of events, in `event_plan`. */
export const knexPlanStore = (database: Database): PlanStore => {
  const { query } = database.dialect;
  const rows = (): Knex.QueryBuilder => query("event_plan");
  const read = async (found: Knex.QueryBuilder): Promise<readonly StoredPlan[]> =>
    (await readQuery<PlanRow>(database, found.select())).map(planOf);
  /** Leaves out plans that cannot be read; `find` says what is wrong with them. */
  const readable = async (found: Knex.QueryBuilder): Promise<readonly StoredPlan[]> =>
    (await readQuery<PlanRow>(database, found.select()))
      .filter(({ details }) => storedJson("event_plan.details", details) !== undefined)
      .map(planOf);
  const narrowed = (state: StoredPlan["state"] | undefined): Knex.QueryBuilder =>
    state === undefined ? rows() : rows().where({ state });

  return {
    find: async (id) => (await read(rows().where({ id })))[0],
    hold: async (id) => (await read(rows().where({ id }).forUpdate()))[0],
    save: async ({ id, state, createdAt, ...told }) => {
      const details = JSON.stringify(told satisfies Details);
      const plan = rows().insert({ id, state, created_at: createdAt, details });
      await changeQuery(database, plan.onConflict("id").merge({ state, details }));
    },
    list: async ({ state, ...page }) => {
      checkLimit(page.limit);
      return readable(paged(narrowed(state), page));
    },
    count: ({ state }, atMost) => database.read((session) => countRows(session, [narrowed(state)], atMost)),
    prune: (before, limit) =>
      database.write(async (session) => {
        checkLimit(limit);
        const old = rows().select("id").where("created_at", "<", before).whereNotIn("state", ["running", "paused"]);
        const ids = idsOf(await findRows<{ id: string }>(session, old.orderBy("id").limit(limit)));
        if (ids.length > 0) await changeRows(session, rows().whereIn("id", ids).delete());
        return ids.length;
      }),
  };
};
