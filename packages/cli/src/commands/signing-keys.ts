import type { Command } from "commander";
import { z } from "zod";
import { secondsOf } from "../moment.ts";
import { type Columns, type ListOutput, printPage, withListOutput } from "../print-list.ts";
import { withOperations } from "../session.ts";
import { CommandError, exitCodes, isConfirmed, type Terminal } from "../terminal.ts";

const shownKey = z.looseObject({
  kid: z.string(),
  state: z.string(),
  created_at: z.string(),
  active_from: z.string().nullable(),
  ends_at: z.string().nullable(),
});

const columns: Columns<z.infer<typeof shownKey>> = {
  kid: ({ kid }) => kid,
  state: ({ state }) => state,
  created: ({ created_at }) => created_at,
  "signs from": ({ active_from }) => active_from,
  ends: ({ ends_at }) => ends_at,
};

/** `postern signing-keys …` */
export const addSigningKeyCommands = (keys: Command, terminal: Terminal): void => {
  withListOutput(keys.command("list").description("list the keys, oldest first")).action(async (output: ListOutput) => {
    await withOperations(terminal, async ({ run }) => {
      printPage(terminal, output, { item: shownKey, columns }, await run({ operation: "admin.signing-keys.list" }));
    });
  });

  keys
    .command("rotate")
    .description("let the next key sign; tokens of the old one stay valid for a while")
    .option(
      "--overlap <time>",
      "how long they stay valid: 30m, 24h; 0 refuses all tokens of all earlier keys at once, and asks first",
      "1h",
    )
    .option("--yes", "do not ask")
    .option("--json", "print the key that signs now as JSON")
    .action(async ({ overlap, yes, json }: { overlap: string; yes?: boolean; json?: boolean }) => {
      const overlap_seconds = secondsOf("--overlap", overlap);
      await withOperations(terminal, async ({ run }) => {
        const harmless = overlap_seconds > 0 || yes === true;
        if (!harmless && !(await isConfirmed(terminal, "Refuse all access tokens that are in use now?"))) {
          throw new CommandError(exitCodes.notConfirmed, "No key was changed; add --yes to do it without being asked.");
        }
        const body = await run({ operation: "admin.signing-keys.rotate", body: { overlap_seconds } });
        const active = shownKey.parse(body);
        terminal.stdout.write(json === true ? `${JSON.stringify(active)}\n` : `Key ${active.kid} signs now.\n`);
      });
    });
};
