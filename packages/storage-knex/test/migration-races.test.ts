import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { user } from "@postern/app";
import { prose, type Resource, text } from "@postern/core";
import { userRow } from "@postern/core/testing";
import { expect, test } from "vitest";
import { MigrationRefused } from "../src/index.ts";
import { onEachDatabase, openStorage, withKnex } from "./databases.ts";
import { amount, invoice, invoiceWith, number } from "./processes/invoices.ts";
import { program } from "./program.ts";

/**
 * A process that inserts rows under the old declaration, and the numbers of the rows whose commit
 * it has seen.
 */
const startInserter = async () => {
  const child = spawn(process.execPath, [program("insert-invoices")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  let acknowledged: number[] = [];
  let heard: (line: string) => void = () => undefined;
  lines.on("line", (line) => (/^\d+$/.test(line) ? acknowledged.push(Number(line)) : heard(line)));
  const ask = (line: string): Promise<string> =>
    new Promise((resolve) => {
      heard = resolve;
      child.stdin.write(`${line}\n`);
    });
  return {
    open: (url: string) => {
      acknowledged = [];
      return ask(`open ${url}`);
    },
    go: () => void child.stdin.write("go\n"),
    stop: async (): Promise<readonly number[]> => {
      await ask("stop");
      return acknowledged;
    },
    end: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
};

/** After each of these migrations, the table no longer takes the rows of the old declaration. */
const declarations: readonly (readonly [string, Resource])[] = [
  ["that every row needs", invoiceWith({ number, amount, note: prose(1000, { description: "A note." }) })],
  ["of texts that are shorter", invoiceWith({ number: text(3, { unique: true, description: "n" }), amount })],
];

onEachDatabase("a migration while another process inserts", (databases) => {
  const rounds = { SQLite: 10, MariaDB: 4, PostgreSQL: 2 }[databases.name];

  test.each(declarations)("to a field %s loses and invents nothing", { timeout: 120_000 }, async (_what, declared) => {
    const other = await startInserter();
    let met = 0;
    for (let round = 0; round < rounds; round += 1) {
      const url = await databases.prepared();
      const before = openStorage({ url, resources: [invoice] });
      await before.migrate.latest();
      await before.storage.resources.insert(user, userRow(1));
      await before.close();
      const after = openStorage({ url, resources: [declared] });
      expect(await other.open(url)).toBe("ready");
      // The migration begins before the first row, or some rows later.
      if (round % 2 === 0) other.go();
      await pause(round);
      const migrated = after.migrate.latest().then(
        () => true,
        (thrown: unknown) => {
          expect(thrown).toBeInstanceOf(MigrationRefused);
          return false;
        },
      );
      if (round % 2 === 1) other.go();
      const isMigrated = await migrated;
      await pause(20);
      const acknowledged = await other.stop();

      const rows: readonly Record<string, unknown>[] = await withKnex(url, (db) => db("invoices").select());
      const stored = new Set(rows.map((row) => row.number));
      for (const n of acknowledged) expect(stored.has(`R-${n}`), `row ${n} in round ${round}`).toBe(true);
      for (const row of rows) {
        if (isMigrated) expect(row.note).not.toBe("");
        else expect(row).not.toHaveProperty("note");
      }
      if (acknowledged.length > 0) met += 1;
      await after.close();
    }
    await other.end();
    expect(met).toBeGreaterThan(0);
  });
});
