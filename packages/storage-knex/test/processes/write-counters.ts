import { resourcesOfParts } from "@postern/app";
import { newJob } from "@postern/jobs";
import knex, { type Knex } from "knex";
import { createKnexStorage } from "../../src/index.ts";
import { counted, countingApp } from "./counters.ts";

/**
 * Writes counters in every way until it is killed: `<url> <seed> <id of a user> <id of a counter with many marks> <ids of
 * counters, with commas>`. It says `writing` once each way has been used.
 */
const [url = "", seed = "", userId = "", large = "", given = ""] = process.argv.slice(2);
const ids = given.split(",");
const opened = createKnexStorage({ url, resources: [...resourcesOfParts(["users"]), ...counted], parts: ["users"] });
const { app } = countingApp(opened, Number(seed));
const client = url.startsWith("sqlite") ? "sqlite3" : url.startsWith("postgres") ? "pg" : "mysql2";
const connection = client === "sqlite3" ? { filename: url.replace(/^sqlite:|\?.*$/g, "") } : url;
const own: Knex = knex({ client, connection, pool: { min: 0, max: 2 }, useNullAsDefault: true });
const principal = { kind: "operator", name: "test" } as const;

const worker = app.worker({ name: `writer-${seed}`, concurrency: 8 });
await worker.start();

let stamps = Number(seed) * 1_000_000;
const stamp = (): number => {
  stamps += 1;
  return stamps;
};

/** A conflict of two writers is no fault of the writer. */
const tried = (write: Promise<unknown>): Promise<void> =>
  write.then(
    () => undefined,
    () => undefined,
  );

const backOut = new Error("back out");
const ways: readonly ((id: string) => Promise<unknown>)[] = [
  (id) => app.run({ operation: "counters.update", principal, params: { id }, body: { stamp: stamp() } }),
  (id) =>
    app.transaction(async ({ rows }) => {
      const row = await rows.counters?.get(id, { hold: true });
      await rows.counters?.update(id, { n: Number(row?.n) + 1 });
    }),
  (id) =>
    app.transaction(async ({ rows }) => {
      await rows.counters?.update(id, { n: -1 });
      throw backOut;
    }),
  async (id) =>
    app.enqueue(newJob({ name: "bump", retry: { delaysMs: [] }, timeoutMs: 5_000, run: async () => 1 }, { id })),
  (id) =>
    own.transaction(async (trx) => {
      const { rows } = app.within(trx);
      const row = await rows.counters?.get(id, { hold: true });
      await rows.counters?.update(id, { n: Number(row?.n) + 1 });
    }),
  (id) =>
    own.transaction(async (trx) => {
      await app.within(trx).rows.counters?.update(id, { n: -1 });
      throw backOut;
    }),
  async () => {
    const made = await app.transaction(async ({ rows }) => {
      const one = await rows.counters?.create({ user_id: userId, n: 1 });
      for (const label of ["a", "b"]) {
        await rows.marks?.create({ user_id: userId, counter_id: String(one?.id), label });
      }
      return one;
    });
    return app.run({ operation: "counters.delete", principal, params: { id: String(made?.id) } });
  },
];

const work = async (): Promise<never> => {
  for (;;) {
    await worker.runDue();
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
};

const writeAll = async (id: string): Promise<void> => {
  for (const way of ways) await tried(way(id));
};

void work();
if (large !== "") void tried(app.run({ operation: "counters.delete", principal, params: { id: large } }));
await Promise.all(ids.map(writeAll));
process.stdout.write("writing\n");
for (;;) await Promise.all(ids.map(writeAll));
