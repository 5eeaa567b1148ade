import type { AuditChain, Concerned, NewAuditSeal } from "../ports/audit-chain.ts";
import type { AuditSeal, SaltedSeal, StoredAuditEntry } from "../ports/audit-log.ts";
import type { Journal } from "./journal.ts";

/** A seal, and when it was made. */
interface MemorySeal extends NewAuditSeal {
  readonly madeAt: number;
}

/** The tables that the log and its chain share. */
export interface AuditTables {
  readonly entries: Map<number, StoredAuditEntry>;
  /** By place. */
  readonly seals: Map<number, MemorySeal>;
  /** By the id of the entry. */
  readonly sealOf: Map<number, SaltedSeal>;
  readonly anchor: Map<"anchor", AuditSeal>;
  /** By task. */
  readonly progress: Map<string, string>;
}

export const auditTables = (): AuditTables => ({
  entries: new Map(),
  seals: new Map(),
  sealOf: new Map(),
  anchor: new Map(),
  progress: new Map(),
});

/** A seal as readers see it; an erased salt is left out. */
const saltedOf = ({ place, digest, salt }: MemorySeal): SaltedSeal => ({
  place,
  digest,
  ...(salt === undefined ? {} : { salt }),
});

export const memoryAuditChain = (tables: AuditTables, journal: Journal): AuditChain => {
  const { entries, seals, sealOf, anchor, progress } = tables;
  const byPlace = (): readonly MemorySeal[] => [...seals.values()].toSorted((left, right) => left.place - right.place);
  const bare = (seal: MemorySeal): NewAuditSeal => ({ ...saltedOf(seal), entryId: seal.entryId });
  const isAbout = ({ actor, resource, resourceId = "" }: StoredAuditEntry, concerned: Concerned): boolean =>
    "actorId" in concerned
      ? actor.kind === "user" && actor.id === concerned.actorId
      : actor.kind === "anonymous" && resource === concerned.resource && concerned.resourceIds.includes(resourceId);
  const lastBefore = (madeBefore: number): MemorySeal | undefined =>
    byPlace().findLast(({ madeAt }) => madeAt < madeBefore);
  const unsealedIn = (after: number, upTo: number): readonly StoredAuditEntry[] =>
    [...entries.values()]
      .filter(({ id }) => id > after && id <= upTo && !sealOf.has(id))
      .toSorted((left, right) => left.id - right.id);
  return {
    unsealed: async ({ after, upTo = Number.POSITIVE_INFINITY, limit }) => unsealedIn(after, upTo).slice(0, limit),
    oldestUnsealed: async (madeBefore) => unsealedIn(lastBefore(madeBefore)?.entryId ?? 0, Number.POSITIVE_INFINITY)[0],
    last: async (madeBefore = Number.POSITIVE_INFINITY) => {
      const found = lastBefore(madeBefore);
      return found === undefined ? undefined : bare(found);
    },
    append: async (made, now) => {
      if (made.some(({ place, entryId }) => seals.has(place) || sealOf.has(entryId))) return false;
      for (const seal of made) {
        journal.set(seals, seal.place, { ...seal, madeAt: now });
        journal.set(sealOf, seal.entryId, saltedOf({ ...seal, madeAt: now }));
      }
      return true;
    },
    list: async ({ after, limit }) =>
      byPlace()
        .filter(({ place }) => place > after)
        .slice(0, limit)
        .map((seal) => {
          const entry = entries.get(seal.entryId);
          return entry === undefined ? bare(seal) : { ...bare(seal), entry: { ...entry, seal: saltedOf(seal) } };
        }),
    anchor: async () => anchor.get("anchor"),
    prune: async (last) => {
      const pruned = byPlace()
        .filter(({ place }) => place <= last.place)
        .slice(0, 1000);
      for (const { place, entryId } of pruned) {
        journal.delete(entries, entryId);
        journal.delete(sealOf, entryId);
        journal.delete(seals, place);
      }
      journal.set(anchor, "anchor", last);
      return pruned.length;
    },
    withOrigin: async ({ after, limit, ...concerned }) =>
      [...entries.values()]
        .filter((entry) => entry.id > after && isAbout(entry, concerned))
        .flatMap((entry) => {
          const seal = sealOf.get(entry.id);
          return seal?.salt === undefined ? [] : [{ ...entry, seal }];
        })
        .toSorted((left, right) => left.id - right.id)
        .slice(0, limit),
    eraseOrigins: async (origins) => {
      for (const { entryId, address, requestId } of origins) {
        const entry = entries.get(entryId);
        const seal = seals.get(sealOf.get(entryId)?.place ?? 0);
        if (entry === undefined || seal === undefined) continue;
        const { salt: _, ...saltless } = seal;
        journal.set(entries, entryId, { ...entry, address, requestId });
        journal.set(seals, seal.place, saltless);
        journal.set(sealOf, entryId, saltedOf(saltless));
      }
    },
    progress: async (task) => progress.get(task),
    keepProgress: async (task, text) => journal.set(progress, task, text),
  };
};
