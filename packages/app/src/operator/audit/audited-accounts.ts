import type { AuditLog, StoredAuditEntry } from "@postern/core/ports";

/** How entries name accounts, and their deletion. */
const accountResource = "user";
const deletion = "users.delete";

/**
 * The ids of one account and of everything that belongs to it. An entry without a credential names
 * one of them if somebody tried to misuse it.
 */
export const ownedResources: readonly string[] = ["session", "grant"];

/** The account whose deletion this entry records. */
export const deletedAccount = (entry: StoredAuditEntry): string | undefined =>
  entry.action === deletion && entry.resource === accountResource && entry.result === "done"
    ? entry.resourceId
    : undefined;

/** The resource that an entry without a credential names if it is about an account itself. */
export const aboutAccount = (accountId: string) => ({ resource: accountResource, resourceIds: [accountId] }) as const;

/**
 * The account whose owner can be recognised by the entry's origin, if the log names that account.
 */
export const accountOf = async (
  audit: Pick<AuditLog, "list">,
  { actor, resource = "", resourceId }: StoredAuditEntry,
): Promise<string | undefined> => {
  if (actor.kind === "user") return actor.id;
  if (actor.kind === "operator") return undefined;
  if (resource === accountResource) return resourceId;
  if (resourceId === undefined || !ownedResources.includes(resource)) return undefined;
  const others = await audit.list({ resource, resourceId, limit: 100 });
  return others.flatMap((other) => (other.actor.kind === "user" ? [other.actor.id] : []))[0];
};

/**
 * Whether an entry names neither a credential nor an account, such as a sign-in at an address
 * without an account, or a request for a new password. Nobody can tell whose origin such an entry
 * has.
 */
export const isOfStranger = ({ actor, resource = "", resourceId }: StoredAuditEntry): boolean =>
  actor.kind === "anonymous" && (resourceId === undefined || ![accountResource, ...ownedResources].includes(resource));

/** Whether the log says that an account was deleted. */
export const wasDeleted = async (audit: Pick<AuditLog, "list">, accountId: string): Promise<boolean> => {
  const about = { action: deletion, resource: accountResource, resourceId: accountId };
  const found = await audit.list({ ...about, limit: 100 });
  return found.some((entry) => deletedAccount(entry) === accountId);
};
