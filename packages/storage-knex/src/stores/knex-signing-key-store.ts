import { AppError } from "@postern/core";
import type { SigningKeyStore, StoredSigningKey } from "@postern/core/parts";
import type { Knex } from "knex";
import { type Database, refusable } from "../database.ts";
import { changeQuery, changeRows, readQuery } from "../query-builder.ts";
import { ConstraintViolation } from "../translate-error.ts";

const most = 100;

interface KeyRow {
  readonly kid: string;
  readonly place: "active" | "next" | null;
  readonly public_key: string;
  readonly sealed_key: string | null;
  readonly created_at: number;
  readonly active_from: number | null;
  readonly ends_at: number | null;
}

const keyOf = (row: KeyRow): StoredSigningKey => ({
  kid: row.kid,
  state: row.place ?? "retired",
  publicKey: JSON.parse(row.public_key),
  sealedKey: row.sealed_key ?? undefined,
  createdAt: Number(row.created_at),
  activeFrom: row.active_from === null ? undefined : Number(row.active_from),
  endsAt: row.ends_at === null ? undefined : Number(row.ends_at),
});

const columnsOf = (key: StoredSigningKey) => ({
  place: key.state === "retired" ? null : key.state,
  public_key: JSON.stringify(key.publicKey),
  sealed_key: key.sealedKey ?? null,
  created_at: key.createdAt,
  active_from: key.activeFrom ?? null,
  ends_at: key.endsAt ?? null,
});

/** The keys of access tokens, in `signing_key`. */
export const knexSigningKeyStore = (database: Database): SigningKeyStore => {
  const { query } = database.dialect;

  const read = async (rows: Knex.QueryBuilder): Promise<readonly StoredSigningKey[]> =>
    (await readQuery<KeyRow>(database, rows.orderBy(["created_at", "kid"]).limit(most))).map(keyOf);

  return {
    list: () => read(query("signing_key").select()),
    hold: async () => {
      // PostgreSQL waits for the holder of a row, and then gives the rows that were there before. So
      // lock first, and read afterwards.
      await read(query("signing_key").select().forUpdate());
      return read(query("signing_key").select().forUpdate());
    },
    save: (key) =>
      database.write(async (session) => {
        const columns = columnsOf(key);
        try {
          const { changed } = await changeRows(
            session,
            query("signing_key").where("kid", key.kid).update(columns),
            refusable,
          );
          if (changed === 0)
            await changeRows(session, query("signing_key").insert({ kid: key.kid, ...columns }), refusable);
        } catch (thrown) {
          if (!(thrown instanceof ConstraintViolation && thrown.kind === "unique")) throw thrown;
          throw new AppError("state_conflict", {
            detail: `Another signing key is ${key.state} already.`,
            cause: thrown,
          });
        }
      }),
    removeEnded: (moment) => changeQuery(database, query("signing_key").where("ends_at", "<", moment).delete()),
  };
};
