import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compose, readConfig } from "@postern/server";
import { describe, expect, test } from "vitest";
import { create, directory, environment, postern } from "./command-line.ts";

describe("postern", () => {
  test("lists its commands, and says that a wrong word is not one of them", async () => {
    const help = await postern(["--help"]);
    expect(help.code).toBe(0);
    for (const word of ["serve", "worker", "migrate", "doctor", "users", "events", "send"])
      expect(help.out).toContain(word);
    const wrong = await postern(["user"]);
    expect([wrong.code, wrong.out]).toEqual([2, ""]);
    expect(wrong.err).toContain("users");
    expect((await postern(["users", "list", "--colour"])).code).toBe(2);
  });

  test("names every fault of the configuration, and exits 2", async () => {
    const { code, err } = await postern(["users", "list"], { variables: { PORT: "many", POSTERN_ROLE: "boss" } });
    expect(code).toBe(2);
    expect(err).toMatch(/PORT must be/);
    expect(err).toMatch(/POSTERN_ROLE must be/);
  });
});

describe("postern migrate", () => {
  /** A file of its own each time: a process reads one once. */
  let files = 0;
  const configured = (fields: string) => {
    const source = `
      import { decimal, defineResource, ownedBy, reference, text } from "@postern/core";
      import { defineConfig } from "@postern/server";
      const rule = ownedBy("user_id");
      const invoice = defineResource({
        name: "invoice", plural: "invoices", description: "An invoice.",
        fields: { user_id: reference("user", { onDelete: "cascade", description: "Whose." }), ${fields} },
        owner: "user_id", access: { read: rule, update: rule, delete: rule },
      });
      export default defineConfig({ resources: [invoice] });`;
    files += 1;
    const file = join(directory, `${files}.config.ts`);
    writeFileSync(file, source);
    return (...words: string[]) => postern(["migrate", ...words], { variables: { POSTERN_CONFIG: file } });
  };
  const amount = 'amount: decimal({ digits: 12, decimals: 2, description: "How much." })';

  test("makes and extends the tables of the resources in the configuration file, and shows the statements first", async () => {
    const first = configured(amount);
    const planned = await first("--plan");
    expect(planned.code).toBe(0);
    expect(planned.out).toContain("-- 0001-create-users\nCREATE TABLE IF NOT EXISTS `users`");
    expect(planned.out).toContain(
      "-- invoices: create\n--   index user_id, id: finds the rows that refer to one user\n",
    );
    const { changes, refused } = JSON.parse((await first("--plan", "--json")).out);
    expect(changes.at(-1)).toEqual({
      name: "invoices: create",
      statements: expect.arrayContaining([expect.stringMatching(/^create table/i)]),
      indexes: expect.arrayContaining([{ columns: "user_id, id", why: "finds the rows that refer to one user" }]),
    });
    expect(refused).toEqual([]);
    expect(existsSync(join(directory, "data/postern.db"))).toBe(false);
    expect(JSON.parse((await first("--json")).out).applied).toContain("invoices: create");
    expect(JSON.parse((await first("--json")).out)).toEqual({ applied: [] });
    expect((await first("--plan")).out).toBe("-- Nothing to do: the tables are up to date.\n");

    const wider = configured(`${amount}, note: text(50, { default: "-", description: "A note." })`);
    expect((await wider("up", "--plan")).out).toBe(
      "-- postern migrate and the next start do this. To do it by hand, stop Postern, and stop at the first error: sqlite3 -bail, psql -v ON_ERROR_STOP=1, mysql without --force.\n\n" +
        "-- invoices: add note\nalter table `invoices` add column `note` VARCHAR(50) not null default '-';\n\n",
    );
    expect((await wider()).out).toBe("Applied:\n  invoices: add note\n");
  });

  test("refuses what would lose data, and says what to write by hand", async () => {
    await configured(`${amount}, note: text(50, { default: "-", description: "A note." })`)();
    const narrower = configured(amount);
    const planned = await narrower("--plan");
    expect(planned.code).toBe(8);
    expect(planned.out).toContain(
      '-- refused: invoices: the column "note" is not declared (any more), and 0 rows have a value there',
    );
    const asJson = await narrower("--plan", "--json");
    expect(asJson.code).toBe(8);
    expect(JSON.parse(asJson.out)).toEqual({
      changes: [],
      refused: [
        {
          problem: expect.stringContaining('the column "note" is not declared (any more)'),
          by_hand: ["begin immediate", "alter table `invoices` drop column `note`", "commit"],
        },
      ],
    });
    const listed = await narrower("status");
    expect(listed.out).toContain('pending  invoices: the column "note"');
    const refused = await narrower();
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("alter table `invoices` drop column `note`;");
  });

  test("makes the tables once, shows them, and takes back only what is confirmed", async () => {
    expect((await postern(["migrate"])).out).toContain("Applied");
    expect((await postern(["migrate"])).out).toContain("Nothing to do");
    const status = JSON.parse((await postern(["migrate", "status", "--json"])).out);
    expect(status.pending).toEqual([]);
    expect(status.applied.length).toBeGreaterThan(0);
    expect([status.tables, status.left_over]).toEqual([[], []]);
    const refused = await postern(["migrate", "down"]);
    expect([refused.code, refused.out]).toEqual([7, ""]);
    expect((await postern(["migrate", "down", "--yes"])).out).toContain("Taken back");
    expect(JSON.parse((await postern(["migrate", "status", "--json"])).out).pending).toHaveLength(1);
  });
});

describe("postern users", () => {
  test("makes, lists and promotes users; passwords never come back", async () => {
    await postern(["migrate"]);
    const made = await create("Ada@example.com", "--json");
    expect([made.code, made.err]).toEqual([0, ""]);
    const user = JSON.parse(made.out);
    expect(user).toMatchObject({ email: "ada@example.com", role: "user" });
    expect((await create("root@example.com", "--role", "admin")).out).toContain("Made admin root@example.com");
    expect((await postern(["users", "promote", "ada@example.com"])).out).toContain("is an administrator now");
    const listed = await postern(["users", "list", "--json"]);
    expect(JSON.parse(listed.out).items).toEqual([
      expect.objectContaining({ id: user.id, role: "admin" }),
      expect.objectContaining({ email: "root@example.com" }),
    ]);
    expect(listed.out).not.toMatch(/password|argon/);
    expect((await postern(["users", "list"])).out).toMatch(
      /^ID\tEMAIL\tNAME\tROLE\t.*\n[0-9a-f-]{36}\tada@example\.com\tAda\tadmin\t/,
    );
  });

  test("exits 2 for bad input, 3 for an unknown user, and says what was wrong", async () => {
    await postern(["migrate"]);
    expect(await create("no-address")).toMatchObject({ code: 2, err: expect.stringContaining("email") });
    await create("ada@example.com");
    expect(await create("ada@example.com")).toMatchObject({ code: 2, err: expect.stringContaining("[conflict]") });
    expect(await postern(["users", "promote", "nobody@example.com"])).toMatchObject({ code: 3 });
    const silent = await postern(["users", "create", "--name", "A", "--email", "a@example.com"]);
    expect([silent.code, silent.err]).toEqual([2, expect.stringContaining("No password")]);
  });

  test("takes the password from a file, too", async () => {
    await postern(["migrate"]);
    const file = join(directory, "password");
    writeFileSync(file, "correct horse battery\n");
    const line = ["users", "create", "--name", "A", "--email", "a@example.com", "--password-file"];
    expect((await postern([...line, file])).code).toBe(0);
    expect((await postern([...line, join(directory, "nowhere")])).code).toBe(2);
  });

  test("says to migrate when the tables are missing", async () => {
    const { code, err } = await postern(["users", "list"]);
    expect(code).toBe(5);
    expect(err).toMatch(/migrat/i);
  });

  test("shows a user by address or id, and deletes one only after a confirmation", async () => {
    await postern(["migrate"]);
    await create("ada@example.com");
    const shown = await postern(["users", "show", "Ada@example.com", "--json"]);
    const { id, email } = JSON.parse(shown.out);
    expect([shown.code, email]).toEqual([0, "ada@example.com"]);
    expect(shown.out).not.toContain("password");
    expect((await postern(["users", "show", id])).out).toContain(`email\tada@example.com\n`);
    expect(await postern(["users", "delete", id])).toMatchObject({ code: 7, err: expect.stringContaining("--yes") });
    expect((await postern(["users", "show", id])).code).toBe(0);
    expect(await postern(["users", "delete", id, "--yes"])).toMatchObject({ code: 0, err: "" });
    expect(await postern(["users", "show", id])).toMatchObject({ code: 3, err: `There is no user ${id}.\n` });
  });
});

describe("postern jobs and queues", () => {
  test("lists Postern's own upkeep when it is asked for, by name as well, or when it needs somebody", async () => {
    await postern(["migrate"]);
    const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
    const kinds = ["postern.prune", "mail", "postern.checkpoint"];
    const now = Date.now();
    await storage.jobs.enqueue(
      kinds.map((kind) => ({ kind, maxAttempts: 1 })),
      now,
    );
    const [running, failing] = await storage.jobs.claim({ runnerId: 900_000, queue: "default", limit: 3, now });
    if (running === undefined || failing === undefined) throw new Error("nothing was claimed");
    const listed = async (...more: string[]): Promise<readonly string[]> =>
      JSON.parse((await postern(["jobs", "list", "--json", ...more])).out).items.map(
        ({ handler }: { handler: string }) => handler,
      );
    expect(await listed()).toEqual(["mail"]);
    expect(await listed("--all")).toEqual(kinds.toReversed());
    expect(await listed("--handler", "postern.prune")).toEqual(["postern.prune"]);
    expect(await listed("--state", "running")).toEqual(kinds.toReversed());
    await storage.jobs.finish([{ job: running, end: { to: "dead", error: "no use" } }], now);
    expect(await listed("--state", "dead")).toEqual(["postern.prune"]);
    await close();
  });

  test("shows a job with its failures, cancels it, runs it again, and stops a queue meanwhile", async () => {
    await postern(["migrate"]);
    const { storage, close } = await compose(readConfig(environment({ LOG_LEVEL: "error" }), false), {});
    const now = Date.now();
    const [dead = 0, later = 0] = await storage.jobs.enqueue(
      [
        { kind: "mail", maxAttempts: 1 },
        { kind: "mail", maxAttempts: 1, dueAt: now + 3600_000 },
      ],
      now,
    );
    const [job] = await storage.jobs.claim({ runnerId: 900_000, queue: "default", limit: 1, now });
    if (job === undefined) throw new Error("nothing was claimed");
    await storage.jobs.finish(
      [{ job, end: { to: "dead", error: "no mailbox", stack: "    at send (mail.ts:7:3)" } }],
      now,
    );
    await close();

    const list = JSON.parse((await postern(["jobs", "list", "--handler", "mail", "--json"])).out);
    expect(list.items.map(({ state }: { state: string }) => state)).toEqual(["scheduled", "dead"]);
    expect((await postern(["jobs", "show", String(dead)])).out).toMatch(
      /^ATTEMPT\tAT\tERROR\n1\t\S+\tno mailbox\n {4}at send \(mail\.ts:7:3\)\n$/m,
    );
    expect(JSON.parse((await postern(["jobs", "show", String(dead), "--json"])).out).failures).toHaveLength(1);
    expect((await postern(["jobs", "cancel", String(later), "--yes"])).out).toContain(`Job ${later} is cancelled`);
    expect(await postern(["jobs", "cancel", String(later), "--yes"])).toMatchObject({
      code: 9,
      err: expect.stringMatching(/cancelled/),
    });
    expect(await postern(["jobs", "cancel", String(later), String(dead), "--yes"])).toMatchObject({ code: 6 });
    expect((await postern(["queues", "pause", "default", "--note", "moving"])).out).toContain("No job waits in it");
    expect((await postern(["jobs", "retry", String(dead)])).out).toContain(`in the place of job ${dead}`);
    expect(await postern(["jobs", "retry", String(dead)])).toMatchObject({
      code: 9,
      err: expect.stringContaining("another has taken its place"),
    });
    expect((await postern(["doctor"])).out).toContain("ok    dead jobs: none\n");
    expect((await postern(["jobs", "retry", "999"])).code).toBe(3);
    expect(JSON.parse((await postern(["jobs", "stats", "--json"])).out)).toMatchObject({
      jobs: { dead: 0, cancelled: 1, ready: 1 },
      queues: [{ name: "default", paused: true, note: "moving", ready: 1 }],
      runners: [],
    });
    expect((await postern(["queues", "list"])).out).toContain("moving");
    expect((await postern(["queues", "pause", "default"])).out).toBe("Queue default is paused.\n");
    expect((await postern(["queues", "resume", "default"])).out).toContain("not paused");
    expect((await postern(["queues", "pause", "No Queue"])).code).toBe(3);
  });
});

describe("postern openapi, changelog, deprecations", () => {
  test("say what the API is, what changed in it and who uses what will go away", async () => {
    const v1 = JSON.parse((await postern(["openapi", "--api-version", "v1"])).out);
    expect(v1.servers[0].url).toBe("/api/v1");
    expect(JSON.parse((await postern(["openapi"])).out).servers[0].url).toBe("/api/v2");
    expect((await postern(["openapi", "--api-version", "v9"])).code).toBe(3);
    expect((await postern(["changelog"])).out).toContain("- **renamed, breaking** `post.content → post.body`");
    expect(JSON.parse((await postern(["changelog", "--json"])).out).items.length).toBeGreaterThan(4);
    await postern(["migrate"]);
    const { code, out, err } = await postern(["deprecations"]);
    expect(code).toBe(0);
    expect(out).not.toContain("user-subscription-status");
    expect(err).toMatch(/^\d+ built-in and unused: --all shows them\n$/);
    expect((await postern(["deprecations", "--all"])).out).toContain("user-subscription-status");
    expect(JSON.parse((await postern(["deprecations", "--json"])).out).items[0]).toMatchObject({ calls: 0 });
  });
});

test("ends quietly when the program that reads its output stops reading", async () => {
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
  const args = ["--conditions=@postern/source", "--import", "tsx", main, "--help"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  const errors: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  const [code] = await once(child, "close");
  expect([code, Buffer.concat(errors).toString()]).toEqual([0, ""]);
}, 30_000);
