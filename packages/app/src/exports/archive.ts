import {
  type AbortSignalLike,
  allRows,
  type Condition,
  equals,
  type Ports,
  type Resource,
  type Row,
} from "@postern/core";
import { conditionOf, timestampOf, utf8Encode } from "@postern/core/internal";
import type { StoredAuditEntry } from "@postern/core/ports";
import { alwaysShown } from "@postern/rest/internal";
import { outsideIdentity } from "../resources/outside-identity.ts";
import { leftOutOf, user } from "../resources/user.ts";

const system = allRows("export of a user's data");
/** How many rows are in memory at once, in addition to the text of earlier rows. */
const rowsAtOnce = 500;

/** The input of an archive. */
export interface ArchiveParts {
  readonly ports: Pick<Ports, "storage" | "clock">;
  /** Every resource of the application. */
  readonly resources: ReadonlyMap<string, Resource>;
  /** The longest archive in bytes. */
  readonly mostBytes: number;
  /** The newest entries of the audit log that it holds. */
  readonly mostAuditEntries: number;
}

/** Thrown for data that does not fit into an archive. */
export class ArchiveTooLarge extends Error {
  override readonly name = "ArchiveTooLarge";
}

/** Text that grows up to a bound. */
const boundedText = (mostBytes: number) => {
  const pieces: string[] = [];
  let bytes = 0;
  return {
    /** @throws ArchiveTooLarge */
    add: (piece: string): void => {
      bytes += utf8Encode(piece).length;
      if (bytes > mostBytes) throw new ArchiveTooLarge();
      pieces.push(piece);
    },
    /** How many bytes still fit. */
    bytesLeft: (): number => mostBytes - bytes,
    whole: () => ({ text: pieces.join(""), bytes }),
  };
};

type BoundedText = ReturnType<typeof boundedText>;

const only = (row: Row, fields: readonly string[]): Row =>
  Object.fromEntries(fields.map((name) => [name, row[name] ?? null]));

const presentEntry = (entry: StoredAuditEntry) => ({
  at: timestampOf(entry.at),
  action: entry.action,
  resource: entry.resource ?? null,
  resource_id: entry.resourceId ?? null,
  result: entry.result,
  address: entry.address,
  fields: entry.fields,
});

/**
 * Makes the archive of a user's data, as JSON: the profile, the user's rows of every resource as
 * far as the user may read them, the outside accounts that are linked to it, and the audit entries
 * of what the user did. It reads at most 500 rows at once, and does not read the rows of a resource
 * whose texts do not fit. `undefined` if there is no such user.
 * @throws ArchiveTooLarge; the reason of `signal` once it is aborted.
 */
export const makeArchive = async (
  { ports, resources, mostBytes, mostAuditEntries }: ArchiveParts,
  userId: string,
  signal: AbortSignalLike,
): Promise<{ readonly text: string; readonly bytes: number } | undefined> => {
  const { storage, clock } = ports;
  const profile = resources.get(user.name) ?? user;
  const leftOut = leftOutOf(profile);
  const account = await storage.resources.find(profile, userId, system, [...alwaysShown(profile), ...leftOut, "role"]);
  if (account === undefined) return undefined;
  // What an application no longer shows may still be stored about somebody.
  const kept = leftOut.filter((name) => JSON.stringify(account[name]) !== JSON.stringify(user.fields[name]?.default));
  const archive = boundedText(mostBytes);
  const caller = { userId, role: String(account.role) };

  const addRows = async (resource: Resource, fields: readonly string[]): Promise<void> => {
    const where = { all: [equals(resource.owner, userId), conditionOf(resource.access.read, caller)] };
    const { bytes } = await storage.resources.usage(resource, { scope: system, where }, { bytes: true });
    if (bytes > archive.bytesLeft()) throw new ArchiveTooLarge();
    archive.add("[");
    let after: readonly string[] | undefined;
    for (let count = rowsAtOnce; count === rowsAtOnce; ) {
      if (signal.aborted) throw signal.reason;
      const order = [{ field: "id", direction: "asc" }] as const;
      const page = { order, limit: rowsAtOnce, ...(after === undefined ? {} : { after }) };
      const read = [...new Set(["id", ...fields])];
      const rows = await storage.resources.list(resource, { scope: system, where, fields: read, ...page });
      for (const [index, row] of rows.entries()) {
        archive.add(`${after === undefined && index === 0 ? "" : ","}${JSON.stringify(only(row, fields))}`);
      }
      count = rows.length;
      after = [String(rows.at(-1)?.id)];
    }
    archive.add("]");
  };

  archive.add(`{"made_at":${JSON.stringify(timestampOf(clock.now()))}`);
  archive.add(`,"user":${JSON.stringify(only(account, [...alwaysShown(profile), ...kept]))},"resources":{`);
  const owned = [...resources.values()].filter(
    ({ name, owner }) => ![profile.name, outsideIdentity.name].includes(name) && owner !== "id",
  );
  const shown = owned.filter(({ access }) => !isNothing(conditionOf(access.read, caller)));
  for (const [index, resource] of shown.entries()) {
    archive.add(`${index === 0 ? "" : ","}${JSON.stringify(resource.table)}:`);
    await addRows(resource, alwaysShown(resource));
  }
  archive.add('},"outside_identities":');
  await addRows(outsideIdentity, ["issuer", "subject", "created_at", "state"]);
  await addAudit(storage, archive, userId, mostAuditEntries);
  archive.add("}");
  return archive.whole();
};

/** Whether no caller gets any row by a rule. */
const isNothing = (condition: Condition): boolean => "any" in condition && condition.any.length === 0;

const addAudit = async (
  { audit }: Pick<Ports["storage"], "audit">,
  archive: BoundedText,
  actorId: string,
  most: number,
): Promise<void> => {
  archive.add(',"audit":{"entries":[');
  let before: number | undefined;
  let added = 0;
  for (let count = rowsAtOnce; count === rowsAtOnce && added < most; ) {
    const border = before === undefined ? {} : { before };
    const wanted = Math.min(rowsAtOnce, most - added);
    const entries = await audit.list({ actorId, limit: wanted, ...border });
    for (const entry of entries) {
      archive.add(`${added === 0 ? "" : ","}${JSON.stringify(presentEntry(entry))}`);
      added += 1;
    }
    count = entries.length;
    before = entries.at(-1)?.id;
  }
  const complete = added === (await audit.count({ actorId }, most + 1));
  archive.add(`],"complete":${complete}}`);
};
