/**
 * Measures what each tree costs that one POST of a post writes on SQLite: processor time and bytes,
 * with every index in place, and with each one left out in turn. It uses the storage alone. From
 * the root:
 *
 * `node --conditions=@postern/source --import tsx benchmarks/rest/trees.ts [--posts 8192] [--rounds
 * 3]`.
 *
 * At the start 10,000 users have 42,000 posts and as many audit entries. Authors are random, and 32
 * POSTs share a commit.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtInResources } from "@postern/app";
import { sealAuditLog } from "@postern/app/internal";
import type { Resource, Row } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import type { AuditEntry } from "@postern/core/ports";
import { createKnexStorage } from "../../packages/storage-knex/src/index.ts";
import { option } from "../inbox/measured-server.ts";
// This is plain JavaScript, so that the rivals can use it, too.
import { moment, postId, postsOf, text, title, userId, users } from "./data.mjs";

const posts = Number(option("--posts") ?? 8192);
const rounds = Number(option("--rounds") ?? 3);
const perCommit = 32;
const directory = mkdtempSync(join(tmpdir(), "postern-trees-"));
const need = createRequire(new URL("../../packages/storage-knex/package.json", import.meta.url));

const resource = (name: string): Resource => {
  const found = builtInResources.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no resource ${name}`);
  return found;
};
const [user, post] = [resource("user"), resource("post")];

const filled = (of: Resource, given: Row): Row => ({
  ...Object.fromEntries(Object.entries(of.fields).map(([name, field]) => [name, field.default ?? null])),
  created_at: moment,
  updated_at: moment,
  ...given,
});

const postOf = (number: number, author: number, id: string, at: number): Row => {
  const created_at = new Date(at).toISOString();
  return filled(post, {
    id,
    user_id: userId(author),
    title: title(author, number),
    body: text,
    published_at: number % 2 === 0 ? created_at : null,
    created_at,
    updated_at: created_at,
  });
};

const entryOf = (id: string, author: number, at: number): AuditEntry => ({
  at,
  actor: { kind: "user", id: userId(author) },
  credential: `session:${userId(author)}`,
  action: "posts.create",
  resource: "post",
  resourceId: id,
  result: "done",
  requestId: id,
  address: "127.0.0.1",
  fields: ["title", "body"],
});

const openAt = (file: string) =>
  createKnexStorage({ url: `sqlite:${file}`, resources: builtInResources, durability: "full" });

const start = Date.parse("2026-02-01T00:00:00.000Z");

const seed = async (file: string): Promise<void> => {
  const { storage, migrate, close } = openAt(file);
  await migrate.latest();
  let written = 0;
  for (let from = 0; from < users; from += 250) {
    await storage.transaction(async ({ resources, audit }) => {
      for (let n = from; n < from + 250; n += 1) {
        await resources.insert(
          user,
          filled(user, { id: userId(n), name: `User ${n}`, email: `user${n}@example.com`, password: "-" }),
        );
        for (let p = 0; p < postsOf(n); p += 1) {
          written += 1;
          await resources.insert(post, postOf(p, n, postId(n, p), start + written));
          await audit.append(entryOf(postId(n, p), n, start + written));
        }
      }
    });
  }
  await close();
};

type Execute = (sql: string) => Promise<readonly { readonly name: string; readonly tbl_name: string }[]>;

const inDatabase = async <Result>(file: string, work: (execute: Execute) => Promise<Result>): Promise<Result> => {
  const sqlite = need("sqlite3");
  const database = new sqlite.Database(file);
  try {
    return await work(
      (sql) =>
        new Promise((resolve, reject) =>
          database.all(sql, (error: Error | null, rows: Awaited<ReturnType<Execute>>) =>
            error === null ? resolve(rows) : reject(error),
          ),
        ),
    );
  } finally {
    await new Promise((resolve) => database.close(resolve));
  }
};

/** All bytes that this process has handed to the system to write. */
const bytesWritten = (): number => Number(/^wchar: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);

interface Cost {
  readonly cpuUs: number;
  readonly bytes: number;
  /** Bytes that the job which seals the entry writes later. */
  readonly sealBytes?: number;
}

/** One POST, as it reaches the storage: its row and its audit entry in one transaction. */
const measure = async (file: string): Promise<Cost> => {
  const { storage, close } = openAt(file);
  let number = 0;
  let state = 1;
  const random = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return state / 0x7f_ff_ff_ff;
  };
  const one = (): Promise<void> => {
    number += 1;
    const at = start + 86_400_000 + number;
    const author = Math.floor(random() * users);
    const id = `${at
      .toString(16)
      .padStart(12, "0")
      .replace(/^(.{8})/, "$1-")}-7000-8000-${number.toString(16).padStart(12, "0")}`;
    return storage.transaction(async ({ resources, audit }) => {
      await resources.insert(post, postOf(number, author, id, at));
      await audit.append(entryOf(id, author, at));
    });
  };
  const some = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += perCommit) await Promise.all(Array.from({ length: perCommit }, one));
  };
  await some(1024);
  const before = { cpu: process.cpuUsage(), bytes: bytesWritten() };
  await some(posts);
  const { user: own, system } = process.cpuUsage(before.cpu);
  const cost = { cpuUs: (own + system) / posts, bytes: (bytesWritten() - before.bytes) / posts };
  const { secretBox, clock, randomness } = memoryPorts();
  const unsealed = bytesWritten();
  const sealed = await sealAuditLog({ secretBox, clock, randomness, storage }, async () => true);
  const sealBytes = (bytesWritten() - unsealed) / sealed;
  await close();
  return { ...cost, sealBytes };
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const seeded = join(directory, "seeded.db");
await seed(seeded);
const indexes = await inDatabase(seeded, (execute) =>
  execute(
    "SELECT name, tbl_name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ('posts', 'audit_log') ORDER BY tbl_name DESC, name",
  ),
);
const variants = ["", ...indexes.map(({ name }) => name), "*"];
const costs = new Map<string, Cost[]>();
for (let round = 0; round < rounds; round += 1) {
  for (const left of variants) {
    const file = join(directory, "run.db");
    copyFileSync(seeded, file);
    const names = left === "*" ? indexes.map(({ name }) => name) : left === "" ? [] : [left];
    await inDatabase(file, async (execute) => {
      for (const name of names) await execute(`DROP INDEX ${name}`);
    });
    costs.set(left, [...(costs.get(left) ?? []), await measure(file)]);
    for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
  }
}
const told = (left: string): Cost => ({
  cpuUs: median((costs.get(left) ?? []).map(({ cpuUs }) => cpuUs)),
  bytes: median((costs.get(left) ?? []).map(({ bytes }) => bytes)),
});
const whole = told("");
const row = (what: string, { cpuUs, bytes }: Cost): string =>
  `| ${what} | ${cpuUs.toFixed(0)} | ${(bytes / 1000).toFixed(1)} |`;
const lines = [
  "| | CPU µs | kB written |",
  "|---|---:|---:|",
  row("a POST, row and audit entry", whole),
  ...indexes.map(({ name }) => {
    const without = told(name);
    return row(`of these \`${name}\``, { cpuUs: whole.cpuUs - without.cpuUs, bytes: whole.bytes - without.bytes });
  }),
  row("a POST without any of these indexes", told("*")),
  `| later, the seal of its entry | | ${(median((costs.get("") ?? []).map(({ sealBytes = 0 }) => sealBytes)) / 1000).toFixed(1)} |`,
];
process.stdout.write(`${lines.join("\n")}\n`);
rmSync(directory, { recursive: true, force: true });
