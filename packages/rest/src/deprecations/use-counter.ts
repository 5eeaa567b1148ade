import type { Ports } from "@postern/core";
import { createBatchedCounts, timestampOf } from "@postern/core/internal";
import type { DeprecatedUse } from "@postern/core/ports";
import type { Deprecation } from "./deprecation.ts";

type Use = Pick<DeprecatedUse, "client" | "agent" | "operation" | "kind">;

/**
 * How many clients are counted in memory between two flushes. Further ones are counted together as
 * `other`.
 */
const mostKeys = 2_000;
/**
 * How many programs of one client are told apart in a day. A client names its program itself, and
 * each name makes rows that are kept for 400 days. Further ones are counted together as `other`.
 */
const mostAgents = 100;
/** The same for all clients together, because the names are kept in memory. */
const mostAgentsInAll = 20_000;
const longestOperation = 64;
export const retentionDays = 400;
const dayMs = 86_400_000;

const dayOf = (milliseconds: number): string => timestampOf(milliseconds).slice(0, 10);

/** Counts who still uses what is deprecated. A request with it costs no write. */
export const createUseCounter = ({
  clock,
  deprecatedUses,
  telemetry,
}: Pick<Ports, "clock" | "deprecatedUses" | "telemetry">) => {
  const agents = createAgents();
  let forgotten = "";

  /** Once a day. */
  const forgetOld = async (): Promise<void> => {
    const today = dayOf(clock.now());
    if (forgotten === today) return;
    forgotten = today;
    await deprecatedUses.forget(dayOf(clock.now() - retentionDays * dayMs)).catch((thrown: unknown) => {
      telemetry.log("warn", "old uses of deprecated parts could not be deleted", {}, thrown);
    });
  };

  const counts = createBatchedCounts<DeprecatedUse>({
    clock,
    keyOf: ({ deprecation, client, agent, operation, kind, day }) =>
      JSON.stringify([deprecation, client, agent, operation, kind, day]),
    sum: (before, use) => ({
      ...before,
      calls: before.calls + use.calls,
      firstAt: Math.min(before.firstAt, use.firstAt),
      lastAt: Math.max(before.lastAt, use.lastAt),
    }),
    mostKeys,
    beyond: (use) => ({ ...use, client: "other", agent: "" }),
    store: async (uses) => {
      await deprecatedUses.add(uses);
      await forgetOld();
    },
    notStored: (left, thrown) =>
      telemetry.log("warn", "uses of deprecated parts could not be stored", { uses: left }, thrown),
  });

  return {
    /** Counts a use; never waits and never fails. */
    count: ({ id }: Deprecation, { client, agent, operation, kind }: Use): void => {
      const now = clock.now();
      telemetry.count("api_deprecated_requests_total", { deprecation: id, kind });
      const day = dayOf(now);
      const told = agents.tell(client, agent, day);
      const use = { client, agent: told, operation: operation.slice(0, longestOperation), kind };
      counts.add({ deprecation: id, ...use, day, calls: 1, firstAt: now, lastAt: now });
    },
    /** Gives the counts to the store. Counts that cannot be stored are kept for the next time. */
    flush: counts.flush,
    isStored: counts.isStored,
  };
};

const createAgents = () => {
  let today = "";
  let inAll = 0;
  const byClient = new Map<string, Set<string>>();
  return {
    /** The name under which a use of this program is counted. */
    tell: (client: string, agent: string, day: string): string => {
      if (agent === "") return agent;
      if (day !== today) {
        today = day;
        inAll = 0;
        byClient.clear();
      }
      const known = byClient.get(client) ?? new Set();
      if (known.has(agent)) return agent;
      if (known.size >= mostAgents || inAll >= mostAgentsInAll) return "other";
      byClient.set(client, known.add(agent));
      inAll += 1;
      return agent;
    },
  };
};
