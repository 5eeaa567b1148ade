import type { DeprecatedUse, DeprecatedUseStore, DeprecatedUseSum } from "../ports/deprecated-use-store.ts";

const keyOf = ({ deprecation, client, agent, operation, kind }: DeprecatedUseSum): string =>
  JSON.stringify([deprecation, client, agent, operation, kind]);

const summed = <Use extends DeprecatedUseSum>(left: Use | undefined, right: Use): Use =>
  left === undefined
    ? right
    : {
        ...left,
        calls: left.calls + right.calls,
        firstAt: Math.min(left.firstAt, right.firstAt),
        lastAt: Math.max(left.lastAt, right.lastAt),
      };

/** Uses of deprecated parts of the API, kept while the process lives. */
export const memoryDeprecatedUses = (): DeprecatedUseStore => {
  const days = new Map<string, DeprecatedUse>();
  const watched = new Map<string, number>();
  return {
    watch: async (deprecations, now) => {
      for (const id of deprecations) if (!watched.has(id)) watched.set(id, now);
      return new Map(watched);
    },
    add: async (uses) => {
      for (const use of uses) {
        const key = `${use.day} ${keyOf(use)}`;
        days.set(key, summed(days.get(key), use));
      }
    },
    sums: async ({ since, deprecation, limit }) => {
      const sums = new Map<string, DeprecatedUseSum>();
      for (const { day, ...use } of days.values()) {
        if (day < since || (deprecation !== undefined && use.deprecation !== deprecation)) continue;
        sums.set(keyOf(use), summed(sums.get(keyOf(use)), use));
      }
      return [...sums.values()].toSorted((left, right) => right.calls - left.calls).slice(0, limit);
    },
    forget: async (before) => {
      for (const [key, { day }] of days) if (day < before) days.delete(key);
    },
    forgetClient: async (client) => {
      for (const [key, use] of days) if (use.client === client) days.delete(key);
    },
  };
};
