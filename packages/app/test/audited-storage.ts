import type { Resource, ResourceRepository, Row, Storage, Stores } from "@postern/core";
import type { AuditLog, SigningKeyStore } from "@postern/core/ports";

/**
 * Changes that need no entry in the audit log: notes about use, tokens that are mailed or waited
 * for, and archives that a job makes.
 */
const unheld: ReadonlySet<string> = new Set(["account_token", "user_export", "user_export_piece"]);
const unheldFields: ReadonlySet<string> = new Set(["last_used_at", "password"]);

const isHeld = (resource: Resource, changes?: Partial<Row>): boolean =>
  !unheld.has(resource.name) &&
  (changes === undefined || Object.keys(changes).some((name) => !unheldFields.has(name) && name !== "updated_at"));

interface Seen {
  /** What was changed. */
  change?: string;
  noted: boolean;
}

const watchedRows = (rows: ResourceRepository, seen: Seen): ResourceRepository => {
  const saw = (resource: Resource, changes?: Partial<Row>): void => {
    if (isHeld(resource, changes)) seen.change ??= resource.name;
  };
  return {
    ...rows,
    insert: (resource, ...given) => {
      saw(resource);
      return rows.insert(resource, ...given);
    },
    update: (resource, where, changes, ...given) => {
      saw(resource, changes);
      return rows.update(resource, where, changes, ...given);
    },
    delete: (resource, ...given) => {
      saw(resource);
      return rows.delete(resource, ...given);
    },
    deleteWhere: (resource, ...given) => {
      saw(resource);
      return rows.deleteWhere(resource, ...given);
    },
  };
};

const watchedKeys = (keys: SigningKeyStore, seen: Seen): SigningKeyStore => ({
  ...keys,
  save: (key) => {
    seen.change ??= "signing_key";
    return keys.save(key);
  },
});

const watchedLog = (log: AuditLog, seen: Seen): AuditLog => ({
  ...log,
  append: (entry) => {
    seen.noted = true;
    return log.append(entry);
  },
});

const refuse = ({ change, noted }: Seen): void => {
  if (change !== undefined && !noted) throw new Error(`a ${change} was changed without an entry in the audit log`);
};

/**
 * A storage that refuses every change of rows and signing keys without an entry in the audit log in
 * the same transaction.
 */
export const auditedStorage = (storage: Storage): Storage => {
  /** A write outside of a transaction can have no entry. */
  const alone = <Result>(write: (rows: ResourceRepository) => Promise<Result>): Promise<Result> => {
    const seen: Seen = { noted: false };
    const done = write(watchedRows(storage.resources, seen));
    refuse(seen);
    return done;
  };
  const direct: Pick<ResourceRepository, "insert" | "update" | "delete" | "deleteWhere"> = {
    insert: async (...given) => alone((rows) => rows.insert(...given)),
    update: async (...given) => alone((rows) => rows.update(...given)),
    delete: async (...given) => alone((rows) => rows.delete(...given)),
    deleteWhere: async (...given) => alone((rows) => rows.deleteWhere(...given)),
  };
  const transaction: Storage["transaction"] = (work, network) =>
    storage.transaction(async (stores: Stores, own) => {
      const seen: Seen = { noted: false };
      const result = await work(
        {
          ...stores,
          resources: watchedRows(stores.resources, seen),
          signingKeys: watchedKeys(stores.signingKeys, seen),
          audit: watchedLog(stores.audit, seen),
        },
        own,
      );
      refuse(seen);
      return result;
    }, network);
  // Tests put other stores and methods into the storage while the application uses it.
  const over = <Whole extends object>(whole: () => Whole, own: Partial<Whole>): Whole =>
    new Proxy(whole(), { get: (_, name) => Reflect.get(Object.hasOwn(own, name) ? own : whole(), name) });
  return over(() => storage, { transaction, resources: over(() => storage.resources, direct) });
};
