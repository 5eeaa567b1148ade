import type { PlanStore, StoredPlan } from "../ports/plan-store.ts";
import type { Journal } from "./journal.ts";

/** Plans by id. */
export type PlanTable = Map<string, StoredPlan>;

export const memoryPlans = (plans: PlanTable, journal: Journal): PlanStore => {
  const find = async (id: string) => plans.get(id);
  const narrowed = (state: StoredPlan["state"] | undefined): StoredPlan[] =>
    [...plans.values()].filter((plan) => state === undefined || plan.state === state);
  return {
    find,
    // Transactions of this storage run one at a time.
    hold: find,
    save: async (plan) => journal.set(plans, plan.id, { ...plan }),
    list: async ({ state, before, after, limit }) => {
      const found = narrowed(state)
        .filter(({ id }) => (before === undefined || id < before) && (after === undefined || id > after))
        .toSorted((left, right) => (left.id < right.id ? -1 : 1));
      return (after === undefined ? found.toReversed() : found).slice(0, limit);
    },
    count: async ({ state }, atMost) => Math.min(narrowed(state).length, atMost),
    prune: async (before, limit) => {
      const old = [...plans.values()]
        .filter(({ createdAt, state }) => createdAt < before && state !== "running" && state !== "paused")
        .slice(0, limit);
      for (const { id } of old) journal.delete(plans, id);
      return old.length;
    },
  };
};
