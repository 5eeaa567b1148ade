import { AppError } from "@postern/core";
import type { SigningKeyStore, StoredSigningKey } from "@postern/core/ports";
import type { Knex } from "knex";
import { type Database, type InRow, refusable, withoutNulls } from "../engine/database.ts";
import { changeQuery, changeRows, readQuery } from "../engine/query-builder.ts";
import { requiredJson, storedJson } from "../engine/stored-json.ts";
import { isTaken } from "../engine/translate-error.ts";

const most = 100;

interface KeyRow extends InRow<Omit<StoredSigningKey, "state" | "publicKey">> {
  readonly place: "active" | "next" | null;
  readonly publicKey: string;
}

const columns = {
  kid: "kid",
  place: "place",
  publicKey: "public_key",
  sealedKey: "sealed_key",
  createdAt: "created_at",
  activeFrom: "active_from",
  endsAt: "ends_at",
};

const keyOf = ({ place, publicKey, ...row }: KeyRow): StoredSigningKey => ({
  ...withoutNulls(row),
  state: place ?? "retired",
  publicKey: requiredJson("signing_key.public_key", row.kid, publicKey),
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
    (await readQuery<KeyRow>(database, rows.orderBy(["created_at", "kid"]).limit(most)))
      // The other keys go on. Tokens of this one are refused.
      .filter(({ publicKey }) => storedJson("signing_key.public_key", publicKey) !== undefined)
      .map(keyOf);

  return {
    list: () => read(query("signing_key").select(columns)),
    hold: async () => {
      // PostgreSQL waits for the holder of a row, and then gives the rows that were there before. So
      // lock first, and read afterwards.
      await read(query("signing_key").select(columns).forUpdate());
      return read(query("signing_key").select(columns).forUpdate());
    },
    save: (key) =>
      database.write(async (session) => {
        const values = columnsOf(key);
        try {
          const update = query("signing_key").where("kid", key.kid).update(values);
          if ((await changeRows(session, update, refusable)).changed > 0) return;
          await changeRows(session, query("signing_key").insert({ kid: key.kid, ...values }), refusable);
        } catch (thrown) {
          if (!isTaken(thrown)) throw thrown;
          throw new AppError("state_conflict", {
            detail: `Another signing key is ${key.state} already.`,
            cause: thrown,
          });
        }
      }),
    removeEnded: (moment) => changeQuery(database, query("signing_key").where("ends_at", "<", moment).delete()),
  };
};
