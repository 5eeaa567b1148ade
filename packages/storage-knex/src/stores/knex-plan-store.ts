import type { PlanStore, StoredPlan } from "@postern/core/parts";
import type { Knex } from "knex";
import { checkLimit, type Database, type Session } from "../database.ts";
import { changeRows, countRows, findRows } from "../query-builder.ts";

interface PlanRow {
  readonly id: string;
  readonly state: StoredPlan["state"];
  readonly created_at: number;
  readonly details: string;
}

/** What is stored as JSON. A member without a value is not in it. */
type Details = Omit<StoredPlan, "id" | "state" | "createdAt">;

const planOf = ({ id, state, created_at: createdAt, details }: PlanRow): StoredPlan => {
  const told: Details = JSON.parse(details);
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
  const one = async (session: Session, found: Knex.QueryBuilder): Promise<StoredPlan | undefined> => {
    const [row] = await findRows<PlanRow>(session, found.select());
    return row === undefined ? undefined : planOf(row);
  };
  const narrowed = (state: StoredPlan["state"] | undefined): Knex.QueryBuilder =>
    state === undefined ? rows() : rows().where({ state });

  return {
    find: (id) => database.read((session) => one(session, rows().where({ id }))),
    hold: (id) => database.read((session) => one(session, rows().where({ id }).forUpdate())),
    save: ({ id, state, createdAt, ...told }) =>
      database.write(async (session) => {
        const details = JSON.stringify(told satisfies Details);
        const { changed } = await changeRows(session, rows().where({ id }).update({ state, details }));
        if (changed === 0) await changeRows(session, rows().insert({ id, state, created_at: createdAt, details }));
      }),
    list: async ({ state, before, after, limit }) => {
      checkLimit(limit);
      const found = narrowed(state);
      if (before !== undefined) found.where("id", "<", before);
      if (after !== undefined) found.where("id", ">", after);
      found.orderBy("id", after === undefined ? "desc" : "asc").limit(limit);
      return (await database.read((session) => findRows<PlanRow>(session, found.select()))).map(planOf);
    },
    count: ({ state }, atMost) => database.read((session) => countRows(session, [narrowed(state)], atMost)),
    prune: (before, limit) =>
      database.write(async (session) => {
        checkLimit(limit);
        const old = rows().select("id").where("created_at", "<", before).whereNotIn("state", ["running", "paused"]);
        const found = await findRows<{ id: string }>(session, old.orderBy("id").limit(limit));
        const ids = found.map(({ id }) => id);
        if (ids.length > 0) await changeRows(session, rows().whereIn("id", ids).delete());
        return ids.length;
      }),
  };
};
