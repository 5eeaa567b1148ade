/**
 * What a hook after the commit costs a write: the same change of a row, by eight writers at once, without
 * a hook, with one, and with one that keeps the order of the row. They take turns on one database.
 *   node --conditions=@postern/source --import tsx benchmarks/hooks/run.ts [URL of a new database]
 * Without a URL it measures SQLite in a new folder. The goal: at most 1.25 times as long on SQLite, and
 * 1.4 times on a database server.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterCommit, createApp, type Hook, resourcesOfParts } from "@postern/app";
import { defineResource, integer, ownedBy, reference } from "@postern/core";
import { memoryPorts, seededRandomness } from "@postern/core/memory";
import { createKnexStorage } from "@postern/storage-knex";

const writers = 8;
const turns = 5;
const turnMs = 1_500;

const counter = defineResource({
  name: "counter",
  plural: "counters",
  description: "What is counted.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Whose it is." }),
    n: integer({ description: "How often it was written." }),
  },
  owner: "user_id",
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
});

const folder = mkdtempSync(join(tmpdir(), "postern-hooks-"));
const url = process.argv[2] ?? `sqlite:${join(folder, "hooks.db")}`;
const resources = [...resourcesOfParts(["users"]), counter];
const opened = createKnexStorage({ url, resources, parts: ["users"], guardNesting: false });
await opened.migrate.latest();

const appWith = (hooks: readonly Hook[]) => {
  const ports = {
    ...memoryPorts({ randomness: seededRandomness(randomBytes(4).readInt32LE()) }),
    storage: opened.storage,
  };
  return createApp({ ports, parts: ["users"], resources: [counter], hooks });
};
const told = (name: string, order?: "row") =>
  afterCommit(counter, name, async () => undefined, order === undefined ? {} : { order });
const kinds = {
  "without a hook": appWith([]),
  "with a hook": appWith([told("told")]),
  "in the order of the row": appWith([told("told-in-order", "row")]),
};

const ids = await kinds["without a hook"].transaction(async ({ rows }) => {
  const user = await rows.users?.create({ name: "Ada", email: `${randomUUID()}@example.com`, password: "-" });
  const made: string[] = [];
  for (let n = 0; n < writers; n += 1) {
    made.push(String((await rows.counters?.create({ user_id: String(user?.id), n: 0 }))?.id));
  }
  return made;
});

/** Milliseconds of one write. */
const turn = async (app: (typeof kinds)["with a hook"]): Promise<number> => {
  const end = performance.now() + turnMs;
  let writes = 0;
  const write = async (id: string): Promise<void> => {
    for (; performance.now() < end; writes += 1) {
      await app.transaction(async ({ rows }) => {
        const row = await rows.counters?.get(id, { hold: true });
        await rows.counters?.update(id, { n: Number(row?.n) + 1 });
      });
    }
  };
  await Promise.all(ids.map(write));
  return (turnMs * writers) / writes;
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const taken = new Map<string, number[]>(Object.keys(kinds).map((name) => [name, []]));
for (let n = 0; n < turns; n += 1) {
  for (const [name, app] of Object.entries(kinds)) taken.get(name)?.push(await turn(app));
}
const plain = median(taken.get("without a hook") ?? []);
for (const [name, values] of taken) {
  const ms = median(values);
  process.stdout.write(`${name.padEnd(24)} ${ms.toFixed(2).padStart(6)} ms a write  × ${(ms / plain).toFixed(2)}\n`);
}
await opened.close();
rmSync(folder, { recursive: true, force: true });
