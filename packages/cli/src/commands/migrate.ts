import type { Command } from "commander";
import { withSession } from "../session.ts";
import { CommandError, exitCodes, type Terminal } from "../terminal.ts";

/** `postern migrate …` */
export const addMigrateCommand = (program: Command, terminal: Terminal): void => {
  const unchecked = { checkSchema: false };
  const migrate = program
    .command("migrate")
    .description("bring the database's tables up to date")
    .action(() => up());

  const up = async (): Promise<void> => {
    await withSession(
      terminal,
      async ({ composition }) => {
        const applied = await composition.database.migrate.latest();
        terminal.stdout.write(
          applied.length === 0
            ? "Nothing to do: the tables are up to date.\n"
            : `Applied:\n${applied.map((name) => `  ${name}\n`).join("")}`,
        );
      },
      unchecked,
    );
  };

  migrate.command("up", { isDefault: true }).description("apply what is missing (the default)").action(up);

  migrate
    .command("status")
    .description("show which migrations have been applied")
    .option("--json", "print { applied, pending } as JSON")
    .action(async ({ json }: { json?: boolean }) => {
      await withSession(
        terminal,
        async ({ composition }) => {
          const { applied, pending } = await composition.database.migrate.status();
          terminal.stdout.write(
            json === true
              ? `${JSON.stringify({ applied, pending })}\n`
              : [...applied.map((name) => `applied  ${name}\n`), ...pending.map((name) => `pending  ${name}\n`)].join(
                  "",
                ),
          );
        },
        unchecked,
      );
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
      await withSession(
        terminal,
        async ({ composition }) => {
          const reverted = await composition.database.migrate.down();
          terminal.stdout.write(reverted === undefined ? "Nothing to take back.\n" : `Taken back: ${reverted}\n`);
        },
        unchecked,
      );
    });
};
