import type { AuditActor, AuditFilter, AuditLog, StoredAuditEntry } from "../ports/audit-log.ts";
import type { Journal } from "./journal.ts";
import type { AuditTables } from "./memory-audit-chain.ts";

const actorIdOf = (actor: AuditActor): string | undefined => (actor.kind === "anonymous" ? undefined : actor.id);

const fits = (entry: StoredAuditEntry, query: AuditFilter): boolean =>
  (query.actorId === undefined || actorIdOf(entry.actor) === query.actorId) &&
  (query.action === undefined || entry.action === query.action) &&
  query.otherThan?.includes(entry.action) !== true &&
  (query.resource === undefined || entry.resource === query.resource) &&
  (query.resourceId === undefined || entry.resourceId === query.resourceId) &&
  (query.since === undefined || entry.at >= query.since) &&
  (query.until === undefined || entry.at < query.until);

export const memoryAuditLog = (
  { entries, sealOf }: Pick<AuditTables, "entries" | "sealOf">,
  nextId: () => number,
  journal: Journal,
): AuditLog => ({
  append: async (entry) => {
    const id = nextId();
    journal.set(entries, id, { ...entry, id });
  },
  list: async ({ before, after, limit, ...filter }) =>
    [...entries.values()]
      .filter((entry) => fits(entry, filter))
      .filter(({ id }) => (before === undefined || id < before) && (after === undefined || id > after))
      .toSorted((left, right) => (after === undefined ? right.id - left.id : left.id - right.id))
      .slice(0, limit)
      .map((entry) => {
        const seal = sealOf.get(entry.id);
        return seal === undefined ? entry : { ...entry, seal };
      }),
  count: async (filter, atMost) =>
    Math.min([...entries.values()].filter((entry) => fits(entry, filter)).length, atMost),
});
