import type { Composition } from "@postern/server";
import type { Command } from "commander";
import { withUncheckedSession } from "../session.ts";
import { CommandError, exitCodes, hint, isConfirmed, type Terminal } from "../terminal.ts";

/** `postern migrate …` */
export const addMigrateCommand = (migrate: Command, terminal: Terminal): void => {
  migrate.addHelpText(
    "after",
    "\nOptions of `migrate` itself (it is `migrate up`):\n  --plan  print the SQL statements that would run, and change nothing\n  --by-hand  ask for what is refused, and do it\n  --json  print what was applied, or the plan, as JSON",
  );

  // `migrate` alone is `migrate up`. Without this, a word that is no command would be an argument of `up`.
  migrate.hook("preSubcommand", ({ args: [word], commands }) => {
    if (word === undefined || word.startsWith("-") || commands.some((command) => command.name() === word)) return;
    throw new CommandError(exitCodes.usage, `migrate takes up, status or down, not ${word}.`);
  });

  migrate
    .command("up", { isDefault: true })
    .description("apply what is missing (the default)")
    .option("--plan", "print the SQL statements that would run, and change nothing")
    .option("--by-hand", "show what is refused because rows would lose values, ask, and do that, too")
    .option("--json", "print { applied }, or with --plan { changes, refused }, as JSON")
    .action(async ({ plan, byHand, json }: { plan?: boolean; byHand?: boolean; json?: boolean }) => {
      await withUncheckedSession(terminal, async ({ composition }) => {
        if (plan === true) {
          const planned = await composition.database.migrate.plan();
          if (json === true) terminal.stdout.write(jsonOf(planned));
          else printPlan(terminal, planned);
          return checkRefused(planned);
        }
        if (byHand === true) await doByHand(terminal, composition);
        const applied = await composition.migrate();
        if (json === true) return void terminal.stdout.write(`${JSON.stringify({ applied })}\n`);
        terminal.stdout.write(
          applied.length === 0
            ? "Nothing to do: the tables are up to date.\n"
            : `Applied:\n${applied.map((name) => `  ${name}\n`).join("")}`,
        );
      });
    });

  migrate
    .command("status")
    .description("show which migrations have been applied, and whether the tables of declared resources fit")
    .option("--json", "print { applied, pending, tables, left_over } as JSON")
    .action(async ({ json }: { json?: boolean }) => {
      await withUncheckedSession(terminal, async ({ composition }) => {
        const { applied, pending } = await composition.database.migrate.status();
        const { declared, leftOver } = await composition.database.migrate.tables();
        terminal.stdout.write(
          json === true
            ? `${JSON.stringify({ applied, pending, tables: declared, left_over: leftOver })}\n`
            : [
                ...applied.map((name) => `applied  ${name}\n`),
                ...declared.flatMap((own) => (own.pending.length === 0 ? `table    ${own.table}: as declared\n` : [])),
                ...pending.map((name) => `pending  ${name}\n`),
                ...leftOver.map(
                  ({ resource, table, rows }) =>
                    `left     ${table}: its resource "${resource}" is not declared any more (rows: ${rows === 10_000 ? "10,000 or more" : rows})\n`,
                ),
              ].join(""),
        );
      });
    });

  migrate
    .command("down")
    .description("take the last migration back; its tables and their rows are lost")
    .option("--yes", "do it without being asked")
    .action(async ({ yes }: { yes?: boolean }) => {
      if (yes !== true) {
        throw new CommandError(
          exitCodes.notConfirmed,
          "This deletes tables with their rows. Nothing was changed; say --yes to do it.",
        );
      }
      await withUncheckedSession(terminal, async ({ composition }) => {
        const reverted = await composition.database.migrate.down();
        terminal.stdout.write(reverted === undefined ? "Nothing to take back.\n" : `Taken back: ${reverted}\n`);
      });
    });
};

/**
 * Does what is refused if a person says so. A change without statements stays refused.
 * @throws CommandError `notConfirmed`
 */
const doByHand = async (terminal: Terminal, { database }: Composition): Promise<void> => {
  const planned = await database.migrate.plan();
  const changing = planned.refused.filter(({ byHand }) => byHand.some((one) => !/^select /i.test(one)));
  if (changing.length === 0 || changing.length < planned.refused.length) return;
  for (const { problem, byHand } of changing) terminal.stderr.write(`${problem}\n${statementsOf(byHand)}`);
  if (!(await isConfirmed(terminal, "Do this now? The values are lost.")))
    throw new CommandError(exitCodes.notConfirmed, "Nothing was changed.");
  await database.migrate.runByHand();
};

const statementsOf = (statements: readonly string[]): string =>
  statements.map((statement) => `${statement};\n`).join("");

type Plan = Awaited<ReturnType<Composition["database"]["migrate"]["plan"]>>;

const jsonOf = ({ changes, refused }: Plan): string =>
  `${JSON.stringify({
    changes: changes.map(({ name, statements, indexes = [] }) => ({ name, statements, indexes })),
    refused: refused.map(({ problem, byHand }) => ({ problem, by_hand: byHand })),
  })}\n`;

/** How the statements of a plan are run. If a change is refused, `migrate` makes none. */
const runs = (isTaken: boolean): string => {
  const atAnError = "and stop at the first error: sqlite3 -bail, psql -v ON_ERROR_STOP=1, mysql without --force.";
  return isTaken
    ? `postern migrate and the next start do this. To do it by hand, stop Postern, ${atAnError}`
    : `Stop Postern, then run by hand, ${atAnError}`;
};

const printPlan = (terminal: Terminal, { changes, refused }: Plan): void => {
  const { stdout } = terminal;
  if (changes.length === 0 && refused.length === 0) stdout.write("-- Nothing to do: the tables are up to date.\n");
  else if (changes.length > 0) stdout.write(`-- ${hint(runs(refused.length === 0), terminal)}\n\n`);
  for (const { name, statements, indexes = [] } of changes) {
    const why = indexes.map((index) => `--   index ${index.columns}: ${index.why}\n`).join("");
    stdout.write(`-- ${name}\n${why}${statementsOf(statements)}\n`);
  }
  for (const { problem, byHand } of refused) {
    const hand = byHand.length === 0 ? "" : `; by hand:\n${statementsOf(byHand).replaceAll(/^(?=.)/gm, "-- ")}`;
    stdout.write(`-- refused: ${problem}${hand}\n\n`);
  }
};

/** @throws CommandError when there is something that `migrate` would refuse. */
const checkRefused = ({ refused }: Plan): void => {
  if (refused.length === 0) return;
  throw new CommandError(
    exitCodes.problems,
    `${refused.length} ${refused.length === 1 ? "change is" : "changes are"} refused: migrate would change nothing.`,
  );
};
