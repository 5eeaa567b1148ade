import { extname, resolve } from "node:path";
import { AppError, type Row, type RowStore, type Transaction } from "@postern/core";
import type { Composition } from "@postern/server";
import type { Command } from "commander";
import { loadServer } from "../load-server.ts";
import { causeOf, configOf, noteAtTerminal, withSession } from "../session.ts";
import { CommandError, counted, exitCodeOf, exitCodes, readText, type Terminal } from "../terminal.ts";

/** A row of the file: its id and its values. */
interface Seed {
  readonly table: string;
  readonly id: string;
  /** Their fields check them. */
  readonly values: Row;
}

type Done = "made" | "changed" | "kept";

/** So many rows are one transaction: on SQLite, other writers wait for it. */
const together = 100;

const wrong = (what: string): CommandError => new CommandError(exitCodes.usage, what);

/** @throws CommandError for a file that cannot be read. */
const contentOf = async (terminal: Terminal, file: string): Promise<unknown> => {
  const isData = file === "-" || extname(file) === ".json";
  const text = isData ? await readText(terminal, file) : "";
  try {
    return isData ? JSON.parse(text) : await (await loadServer()).loadModule(resolve(terminal.directory, file));
  } catch (thrown) {
    throw wrong(`${file} cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
};

const form = '{ "invoices": [{ "id": "…", … }] }';

/** @throws CommandError for rows without an id. */
const seedsIn = (content: unknown): readonly Seed[] => {
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw wrong(`A file of seeds is an object with a list of rows for each resource: ${form}`);
  }
  return Object.entries(content).flatMap(([table, rows]) => {
    if (!Array.isArray(rows)) throw wrong(`${table}: this must be a list of rows, as in ${form}`);
    return rows.map((row: unknown, index): Seed => {
      const { id, ...values } = Object(row);
      if (typeof id === "string") return { table, id, values };
      throw wrong(
        `${table}, row ${index + 1}: it has no id. Give it a UUID of your own, so that a second run finds it.`,
      );
    });
  });
};

const ofAnother = (thrown: unknown, { table, id }: Seed): unknown => {
  if (!(thrown instanceof AppError)) return thrown;
  const advice = thrown.code === "unavailable" ? ` ${causeOf(thrown)}` : "";
  return new CommandError(
    exitCodeOf(thrown),
    `${table} ${id}: ${thrown.message}${advice} [${thrown.code}]`,
    thrown.code,
  );
};

const storedIn = (rows: RowStore, id: string) =>
  rows.get(id).catch((thrown: unknown) => {
    if (thrown instanceof AppError && thrown.code === "not_found") return undefined;
    throw thrown;
  });

/** A user of the file has a password, and a stored one its hash, which stays. */
const hashed = async ({ table, values }: Seed, { passwordHasher }: Composition["ports"]) =>
  table === "users" && typeof values.password === "string"
    ? { ...values, password: await passwordHasher.hash(values.password) }
    : values;

const plant = async (seed: Seed, { rows }: Transaction, ports: Composition["ports"]): Promise<Done> => {
  const { table, id, values } = seed;
  const store = rows[table];
  if (store === undefined) throw new TypeError(`there are no rows named "${table}"`);
  const before = await storedIn(store, id);
  if (before === undefined) {
    await store.create(await hashed(seed, ports), { id });
    return "made";
  }
  const { password: _kept, ...others } = values;
  const after = await store.update(id, table === "users" ? others : values);
  return after.revision === before.revision ? "kept" : "changed";
};

/** The rows of each transaction. A user is one alone, because the hash of a password takes long. */
const portionsOf = (seeds: readonly Seed[]): readonly (readonly Seed[])[] => {
  const portions: Seed[][] = [];
  for (const seed of seeds) {
    const last = portions.at(-1);
    const isFull = last === undefined || last.length === together || last.at(-1)?.table === "users";
    if (isFull || seed.table === "users") portions.push([seed]);
    else last.push(seed);
  }
  return portions;
};

/** Writes these rows in one transaction. */
const plantTogether = (
  seeds: readonly Seed[],
  { app, ports }: Composition,
): Promise<readonly (readonly [Seed, Done])[]> => {
  let at: Seed | undefined;
  return app
    .transaction(async (tx) => {
      const done: (readonly [Seed, Done])[] = [];
      for (const seed of seeds) {
        at = seed;
        done.push([seed, await plant(seed, tx, ports)]);
      }
      return done;
    })
    .catch((thrown: unknown) => {
      if (thrown instanceof TypeError) throw wrong(`${thrown.message}.`);
      throw at === undefined ? thrown : ofAnother(thrown, at);
    });
};

/** `postern seed` */
export const addSeedCommand = (seed: Command, terminal: Terminal): void => {
  seed
    .argument("<file>", "JSON or a module; `-` is JSON on standard input")
    .option("--json", "print { items } as JSON: resource, made, changed, kept")
    .addHelpText(
      "after",
      `\nThe file is JSON (${form}), or a module with that as its default export.\nRows are written in its order, ${together} in a transaction. A second run changes nothing.`,
    )
    .action(async (file: string, { json }: { json?: boolean }) => {
      await configOf(terminal);
      const seeds = seedsIn(await contentOf(terminal, file));
      await withSession(terminal, async ({ composition }) => {
        const done: (readonly [Seed, Done])[] = [];
        for (const portion of portionsOf(seeds)) done.push(...(await plantTogether(portion, composition)));
        if (done.some(([, what]) => what !== "kept")) await noteAtTerminal(composition.ports, { action: "rows.seed" });
        const tables = [...new Set(seeds.map(({ table }) => table))];
        const count = (table: string, what: Done) =>
          done.filter(([one, how]) => one.table === table && how === what).length;
        const items = tables.map((resource) => ({
          resource,
          made: count(resource, "made"),
          changed: count(resource, "changed"),
          kept: count(resource, "kept"),
        }));
        if (json === true) return void terminal.stdout.write(`${JSON.stringify({ items })}\n`);
        for (const { resource, made, changed, kept } of items) {
          terminal.stdout.write(
            `${resource}: ${counted(made, "row")} made, ${changed} changed, ${kept} as they were\n`,
          );
        }
      });
    });
};
