import type { RefusalFilter, RefusalStore, RefusedDelivery } from "@postern/core/ports";
import type { Knex } from "knex";
import { checkLimit, type Database, idsOf } from "../engine/database.ts";
import { changeQuery, changeRows, countRows, findRows, paged, readQuery } from "../engine/query-builder.ts";
import { requiredJson, storedJson } from "../engine/stored-json.ts";

interface RefusalRow {
  readonly id: string;
  readonly refused_at: number;
  readonly provider: string;
  readonly reason: string;
  readonly details: string;
}

/** What is stored as JSON: no database takes a zero character in a text, and JSON escapes it. */
interface Details extends Omit<RefusedDelivery, "id" | "at" | "provider" | "reason" | "body" | "address"> {
  readonly address?: string | undefined;
  /** In base64. */
  readonly body?: string | undefined;
}

const refusalOf = ({ id, refused_at: at, provider, reason, details }: RefusalRow): RefusedDelivery => {
  const { address, body, ...told } = requiredJson<Details>("refused_delivery.details", id, details);
  return {
    ...told,
    id,
    at: Number(at),
    provider,
    reason,
    address,
    body: body === undefined ? undefined : new Uint8Array(Buffer.from(body, "base64")),
  };
};

/** The last refused deliveries, in `refused_delivery`. */
export const knexRefusals = (database: Database): RefusalStore => {
  const { query } = database.dialect;
  const rows = (): Knex.QueryBuilder => query("refused_delivery");
  const narrowed = ({ provider, reason, since, until }: RefusalFilter): Knex.QueryBuilder => {
    const found = rows();
    if (provider !== undefined) found.where({ provider });
    if (reason !== undefined) found.where({ reason });
    if (since !== undefined) found.where("refused_at", ">=", since);
    if (until !== undefined) found.where("refused_at", "<", until);
    return found;
  };
  const read = async (found: Knex.QueryBuilder): Promise<readonly RefusedDelivery[]> =>
    (await readQuery<RefusalRow>(database, found.select())).map(refusalOf);
  /** Leaves out those that cannot be read; `find` says what is wrong with them. */
  const readable = async (found: Knex.QueryBuilder): Promise<readonly RefusedDelivery[]> =>
    (await readQuery<RefusalRow>(database, found.select()))
      .filter(({ details }) => storedJson("refused_delivery.details", details) !== undefined)
      .map(refusalOf);

  return {
    add: async (refusals, keep) => {
      checkLimit(keep);
      if (refusals.length === 0) return;
      const added = refusals.map(({ id, at, provider, reason, body, ...told }) => {
        const details: Details = { ...told, ...(body && { body: Buffer.from(body).toString("base64") }) };
        return { id, refused_at: at, provider, reason, details: JSON.stringify(details) };
      });
      await database.write(async (session) => {
        await changeRows(session, rows().insert(added));
        const beyond = rows().select("id").orderBy("id", "desc").offset(keep).limit(1);
        const [oldest] = await findRows<{ id: string }>(session, beyond);
        if (oldest !== undefined) await changeRows(session, rows().where("id", "<=", oldest.id).delete());
      });
    },
    find: async (id) => (await read(rows().where({ id })))[0],
    list: (query) => {
      checkLimit(query.limit);
      return readable(paged(narrowed(query), query));
    },
    count: (filter, atMost) => database.read((session) => countRows(session, [narrowed(filter)], atMost)),
    prune: async (before, limit) => {
      checkLimit(limit);
      const old = narrowed({ until: before }).select("id").orderBy("id").limit(limit);
      const ids = idsOf(await readQuery<{ id: string }>(database, old));
      if (ids.length > 0) await changeQuery(database, rows().whereIn("id", ids).delete());
      return ids.length;
    },
  };
};
