import type { AuditActor, AuditLog, AuditQuery, StoredAuditEntry } from "../ports/audit-log.ts";
import type { Journal } from "./journal.ts";

const actorIdOf = (actor: AuditActor): string | undefined => (actor.kind === "anonymous" ? undefined : actor.id);

const fits = (entry: StoredAuditEntry, query: AuditQuery): boolean =>
  (query.actorId === undefined || actorIdOf(entry.actor) === query.actorId) &&
  (query.action === undefined || entry.action === query.action) &&
  (query.resource === undefined || entry.resource === query.resource) &&
  (query.resourceId === undefined || entry.resourceId === query.resourceId) &&
  (query.since === undefined || entry.at >= query.since) &&
  (query.until === undefined || entry.at < query.until) &&
  (query.before === undefined || entry.id < query.before);

export const memoryAuditLog = (
  entries: Map<number, StoredAuditEntry>,
  nextId: () => number,
  journal: Journal,
): AuditLog => ({
  append: async (entry) => {
    const id = nextId();
    journal.set(entries, id, { ...entry, id });
  },
  list: async (query) =>
    [...entries.values()]
      .filter((entry) => fits(entry, query))
      .toSorted((left, right) => right.id - left.id)
      .slice(0, query.limit),
});
