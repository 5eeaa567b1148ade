import { AppError } from "@postern/core";
import type { ProviderStore, StoredProvider, StoredProviderKey } from "@postern/core/ports";
import { type Database, refusable, type Session } from "../engine/database.ts";
import { changeQuery, changeRows, findRows, readQuery } from "../engine/query-builder.ts";
import { storedJson, unreadable } from "../engine/stored-json.ts";
import { isTaken } from "../engine/translate-error.ts";

const most = 1000;

interface ProviderRow {
  readonly id: string;
  readonly name: string;
  readonly scheme: string;
  readonly definition: string;
  /** 1 or 0; MySQL's driver returns numbers, too. */
  readonly allow_short: number;
  readonly sealed_settings: string | null;
}

interface KeyRow {
  readonly the_key: string;
  readonly key_id: string | null;
  readonly sealed_key: string;
  readonly not_before: string;
  readonly not_after: string | null;
}

/** The JSON in the column `definition`. */
interface Definition {
  readonly tolerance_seconds?: number | undefined;
  readonly jwks_url?: string | undefined;
  readonly schemas?: StoredProvider["schemas"];
  /** Stored as it is in code: nobody but this store reads it. */
  readonly dedupe?: StoredProvider["dedupe"];
  readonly headers?: readonly string[] | undefined;
  readonly replay_on_resend?: true | undefined;
  readonly keep_refused_bodies?: true | undefined;
}

/** A provider beside one of its keys; the key's columns are null for a provider without keys. */
type JoinedRow = ProviderRow & (KeyRow | Readonly<Record<keyof KeyRow, null>>);

/** Those of a key but its `id`, which both tables have. */
const keyColumns = ["key_id", "sealed_key", "not_before", "not_after"];

/** These tables store moments as RFC 3339 text, as the tables of resources do. */
const momentOf = (ms: number): string => new Date(ms).toISOString();

const keyOf = (row: KeyRow): StoredProviderKey => ({
  id: row.the_key,
  keyId: row.key_id ?? undefined,
  sealedKey: row.sealed_key,
  notBefore: Date.parse(row.not_before),
  notAfter: row.not_after === null ? undefined : Date.parse(row.not_after),
});

const providerOf = (row: ProviderRow, keys: readonly StoredProviderKey[]): StoredProvider => {
  const definition = storedJson<Definition>("webhook_providers.definition", row.definition);
  const {
    tolerance_seconds,
    jwks_url,
    schemas,
    dedupe,
    headers = [],
    replay_on_resend,
    keep_refused_bodies,
  }: Partial<Definition> = definition?.value ?? {};
  return {
    id: row.id,
    name: row.name,
    scheme: row.scheme,
    toleranceSeconds: tolerance_seconds,
    allowShort: row.allow_short === 1,
    dedupe,
    headers,
    replayOnResend: replay_on_resend === true,
    keepRefusedBodies: keep_refused_bodies === true,
    jwksUrl: jwks_url,
    schemas,
    sealedSettings: row.sealed_settings ?? undefined,
    keys,
    ...(definition === undefined ? { unreadable: unreadable("webhook_providers.definition", row.id) } : {}),
    // A key without readable times would be valid for ever.
    ...(keys.some(({ notBefore, notAfter = 0 }) => Number.isNaN(notBefore + notAfter))
      ? { unreadable: unreadable("webhook_keys.not_before", row.id) }
      : {}),
  };
};

/** Providers with their keys, in the order of the rows. */
const providersOf = (rows: readonly JoinedRow[]): readonly StoredProvider[] => {
  const keys = new Map<string, StoredProviderKey[]>(rows.map(({ id }) => [id, []]));
  for (const row of rows) if (row.the_key !== null) keys.get(row.id)?.push(keyOf(row));
  const providers = new Map(rows.map((row) => [row.id, row]));
  return [...providers.values()].map((row) => providerOf(row, keys.get(row.id) ?? []));
};

const columnsOf = ({ name, scheme, sealedSettings, ...provider }: StoredProvider) => {
  const { toleranceSeconds, jwksUrl, schemas, allowShort, dedupe, headers, replayOnResend, keepRefusedBodies } =
    provider;
  // JSON leaves out what is undefined.
  const definition: Definition = {
    tolerance_seconds: toleranceSeconds,
    jwks_url: jwksUrl,
    schemas,
    dedupe,
    headers: headers.length === 0 ? undefined : headers,
    replay_on_resend: replayOnResend || undefined,
    keep_refused_bodies: keepRefusedBodies || undefined,
  };
  return {
    name,
    scheme,
    definition: JSON.stringify(definition),
    allow_short: Number(allowShort),
    sealed_settings: sealedSettings ?? null,
  };
};

const keyColumnsOf = ({ keyId, sealedKey, notBefore, notAfter }: StoredProviderKey) => ({
  key_id: keyId ?? null,
  sealed_key: sealedKey,
  not_before: momentOf(notBefore),
  not_after: notAfter === undefined ? null : momentOf(notAfter),
});

/**
 * Senders of webhooks that were added at run time, in `webhook_providers`, and their keys, in
 * `webhook_keys`.
 */
export const knexProviderStore = (database: Database): ProviderStore => {
  const { query } = database.dialect;

  /** Uses one statement, so that a provider and its keys come from the same moment. */
  const joined = () =>
    query("webhook_providers AS provider")
      .leftJoin("webhook_keys AS key", "key.provider_id", "provider.id")
      .select("provider.id", "name", "scheme", "definition", "allow_short", "sealed_settings")
      .select({ the_key: "key.id" }, ...keyColumns)
      .orderBy(["provider.id", "key.id"]);

  const find = async (session: Session, name: string): Promise<StoredProvider | undefined> =>
    providersOf(await findRows<JoinedRow>(session, joined().where("name", name)))[0];

  /** Makes the stored keys of a provider equal to `keys`. An unchanged key keeps its revision. */
  const saveKeys = async (session: Session, { id, keys }: StoredProvider, now: string): Promise<void> => {
    const own = query("webhook_keys").where("provider_id", id);
    const found = await findRows<KeyRow>(session, own.clone().select({ the_key: "id" }, ...keyColumns));
    const before = new Map(found.map((row) => [row.the_key, row]));
    const gone = [...before.keys()].filter((keyId) => !keys.some((key) => key.id === keyId));
    if (gone.length > 0) await changeRows(session, own.clone().whereIn("id", gone).delete());
    for (const key of keys) {
      const columns = keyColumnsOf(key);
      const known = before.get(key.id);
      if (known === undefined) {
        const made = { id: key.id, revision: 1, provider_id: id, ...columns, created_at: now, updated_at: now };
        await changeRows(session, query("webhook_keys").insert(made));
      } else if (JSON.stringify(keyColumnsOf(keyOf(known))) !== JSON.stringify(columns)) {
        const changed = { ...columns, revision: query.raw("revision + 1"), updated_at: now };
        await changeRows(session, own.clone().where("id", key.id).update(changed));
      }
    }
  };

  return {
    list: async () => {
      const first = query("webhook_providers").select("id").orderBy("id").limit(most).as("listed");
      const listed = joined().join(first, "listed.id", "provider.id");
      return providersOf(await readQuery<JoinedRow>(database, listed));
    },
    find: (name) => database.read((session) => find(session, name)),
    hold: (name) =>
      database.read(async (session) => {
        await findRows(session, query("webhook_providers").select("id").where("name", name).forUpdate());
        return find(session, name);
      }),
    save: (provider, at) =>
      database.write(async (session) => {
        const now = momentOf(at);
        const columns = columnsOf(provider);
        try {
          const changed = { ...columns, revision: query.raw("revision + 1"), updated_at: now };
          const update = query("webhook_providers").where("id", provider.id).update(changed);
          if ((await changeRows(session, update, refusable)).changed === 0) {
            const made = { id: provider.id, revision: 1, ...columns, created_at: now, updated_at: now };
            await changeRows(session, query("webhook_providers").insert(made), refusable);
          }
        } catch (thrown) {
          if (!isTaken(thrown)) throw thrown;
          throw new AppError("conflict", {
            detail: "This name is taken.",
            faults: [{ pointer: "/name", code: "taken", detail: "already in use" }],
            cause: thrown,
          });
        }
        await saveKeys(session, provider, now);
      }),
    // The database deletes a provider's keys with it, because they refer to it.
    remove: async (name) => (await changeQuery(database, query("webhook_providers").where("name", name).delete())) > 0,
  };
};
