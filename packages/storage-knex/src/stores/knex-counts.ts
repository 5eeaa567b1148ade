import { everyProvider, noCounts, summed } from "@postern/core/internal";
import type { CountBucket, CountStore, Counts } from "@postern/core/ports";
import { checkLimit, type Database, inOrderOf } from "../engine/database.ts";
import { changeRows, findRows, readQuery } from "../engine/query-builder.ts";
import { storedJson } from "../engine/stored-json.ts";

interface CountRow {
  readonly step: CountBucket["step"];
  readonly at: number;
  readonly provider: string;
  readonly counts: string;
}

const keyOf = ({ step, at, provider }: Pick<CountBucket, "step" | "at" | "provider">) => ({ step, at, provider });

/** The numbers of a bucket, as they are stored. */
const textOf = ({ step: _step, at: _at, provider: _provider, ...counts }: CountBucket): string =>
  JSON.stringify(counts satisfies Counts);

/** Counts over time, in `count_bucket`. Every process on the database adds to them. */
export const knexCounts = (database: Database): CountStore => {
  const { query } = database.dialect;
  const insert = database.dialect.insertUnlessTaken("count_bucket", ["step", "at", "provider", "counts"], "step");
  const nothing = JSON.stringify(noCounts);
  const rows = () => query("count_bucket");
  const bucketOf = ({ step, at, provider, counts }: CountRow): CountBucket => ({
    ...(storedJson<Counts>("count_bucket.counts", counts)?.value ?? noCounts),
    step,
    at: Number(at),
    provider,
  });

  return {
    add: async (buckets) => {
      if (buckets.length === 0) return;
      await database.write(async (session) => {
        for (const bucket of inOrderOf(buckets, ({ step, provider, at }) => `${step} ${provider} ${at}`)) {
          const key = keyOf(bucket);
          await session.run(insert, [key.step, key.at, key.provider, nothing]);
          const [row] = await findRows<CountRow>(session, rows().where(key).forUpdate().select());
          const before = row === undefined ? noCounts : bucketOf(row);
          const counts = textOf({ ...key, ...summed(before, bucket) });
          await changeRows(session, rows().where(key).update({ counts }));
        }
      });
    },
    list: async ({ step, provider, since, until, limit }) => {
      const found = rows().where({ step, provider }).where("at", ">=", since).where("at", "<", until);
      return (await readQuery<CountRow>(database, found.orderBy("at").limit(limit).select())).map(bucketOf);
    },
    sums: ({ step, since, until, limit }) =>
      database.read(async (session) => {
        checkLimit(limit);
        const sums: (Counts & Pick<CountBucket, "provider">)[] = [];
        // From sender to sender by the key, because one statement would read all that is kept of each.
        const after = (name: string) =>
          findRows<Pick<CountRow, "provider">>(
            session,
            rows().where({ step }).where("provider", ">", name).orderBy("provider").limit(1).select("provider"),
          );
        let [next] = await after(everyProvider);
        while (next !== undefined && sums.length < limit) {
          const { provider } = next;
          const own = rows().where({ step, provider }).where("at", ">=", since).where("at", "<", until);
          const found = (await findRows<CountRow>(session, own.select())).map(bucketOf);
          if (found.length > 0) sums.push({ ...found.reduce<Counts>(summed, noCounts), provider });
          [next] = await after(provider);
        }
        return sums;
      }),
    prune: async (step, before, limit) => {
      checkLimit(limit);
      const old = rows().select("at", "provider").where({ step }).where("at", "<", before);
      const found = await readQuery<Pick<CountRow, "at" | "provider">>(database, old.orderBy("at").limit(limit));
      if (found.length === 0) return 0;
      await database.write(async (session) => {
        for (const { at, provider } of found) await changeRows(session, rows().where({ step, at, provider }).delete());
      });
      return found.length;
    },
  };
};
