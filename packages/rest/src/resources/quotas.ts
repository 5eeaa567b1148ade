import { AppError, equals, type Resource, type ResourceRepository, type Row } from "@postern/core";
import { scopeOf } from "@postern/core/ports";
import { exactTextBytes, rowBytes } from "../limits/answer-memory.ts";

/** How much of a resource one owner may have. An absent bound means no limit. */
interface Quota {
  readonly rows?: number;
  /** Bytes (UTF-8) of texts and JSON in all of the owner's rows. */
  readonly bytes?: number;
}

/** Quotas by the plural name of a resource. */
export type Quotas = Readonly<Record<string, Quota>>;

export type QuotaKeeper = ReturnType<typeof createQuotas>;

const quotaFaults = (quotas: Quotas, resources: readonly Resource[]): readonly string[] =>
  Object.entries(quotas).flatMap(([plural, quota]) => {
    const place = `quotas.${plural}`;
    const resource = resources.find((each) => each.plural === plural);
    if (resource === undefined) return [`${place}: there is no resource "${plural}"; use its plural name`];
    if (resource.owner === "id") return [`${place}: a ${resource.name} has no owner who could have several`];
    return Object.entries(quota).flatMap(([name, bound]) => {
      if (name !== "rows" && name !== "bytes") return [`${place}: there is no bound "${name}"; there are rows, bytes`];
      return Number.isSafeInteger(bound) && bound >= 1 ? [] : [`${place}.${name}: a whole number from 1, not ${bound}`];
    });
  });

/**
 * Enforces the quota of a row's owner in the transaction that writes the row.
 * @throws TypeError for quotas that cannot be kept.
 */
export const createQuotas = (quotas: Quotas, resources: readonly Resource[]) => {
  const faults = quotaFaults(quotas, resources);
  if (faults.length > 0) throw new TypeError(faults.join("\n"));
  const quotaOf = ({ plural }: Resource): Quota | undefined =>
    Object.hasOwn(quotas, plural) ? quotas[plural] : undefined;

  return {
    /**
     * Called before the row is written. Of two writers for one owner, the second waits for the first.
     */
    hold: async (repository: ResourceRepository, resource: Resource, row: Row): Promise<void> => {
      const target = resource.fields[resource.owner]?.references?.resource;
      const owners = resources.find(({ name }) => name === target);
      const id = row[resource.owner];
      if (quotaOf(resource) === undefined || owners === undefined || typeof id !== "string") return;
      await repository.hold(owners, { scope: scopeOf(equals("id", id)) }, 1);
    },
    /**
     * Called after the row was written. A change of a stored row is refused only if the row has
     * grown.
     * @throws AppError `quota_exceeded`.
     */
    check: async (repository: ResourceRepository, resource: Resource, row: Row, stored?: Row): Promise<void> => {
      const quota = quotaOf(resource);
      const owner = row[resource.owner];
      if (quota === undefined || typeof owner !== "string") return;
      if (stored !== undefined && !hasGrown(resource, row, stored)) return;
      const selection = { scope: scopeOf(equals(resource.owner, owner)) };
      const used = await repository.usage(resource, selection, { bytes: quota.bytes !== undefined });
      const beyond = (["rows", "bytes"] as const).find(
        (name) => used[name] > (quota[name] ?? Number.POSITIVE_INFINITY),
      );
      if (beyond !== undefined) throw exceeded(resource, beyond, quota[beyond] ?? 0);
    },
  };
};

const sizeOf = (resource: Resource, row: Row): number => rowBytes(row, resource.fieldNames, exactTextBytes);

const hasGrown = (resource: Resource, row: Row, stored: Row): boolean =>
  row[resource.owner] !== stored[resource.owner] || sizeOf(resource, row) > sizeOf(resource, stored);

const exceeded = ({ plural }: Resource, what: "rows" | "bytes", bound: number): AppError =>
  new AppError("quota_exceeded", {
    detail:
      what === "rows"
        ? `One owner may have ${bound} ${plural}, and has them. Delete some first.`
        : `The texts of all ${plural} of one owner may have ${bound} bytes, and would have more. Delete some first, or write less.`,
  });
