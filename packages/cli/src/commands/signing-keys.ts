import type { Command } from "commander";
import { printAnswer } from "../actions.ts";
import { secondsOf } from "../moment.ts";
import { addPage, type Columns, type ItemOf } from "../print-list.ts";
import { requireConfirmed } from "../require-confirmed.ts";
import { withOperations } from "../session.ts";
import type { Terminal } from "../terminal.ts";

const columns: Columns<ItemOf<"admin.signing-keys.list">> = {
  kid: "kid",
  state: "state",
  created: "created_at",
  "signs from": "active_from",
  ends: "ends_at",
};

/** `postern signing-keys …` */
export const addSigningKeyCommands = (keys: Command, terminal: Terminal): void => {
  const list = keys.command("list").description("list the keys, oldest first");
  addPage(list, terminal, { operation: "admin.signing-keys.list", columns });

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
      await withOperations(terminal, async (operations) => {
        const call = { operation: "admin.signing-keys.rotate", body: { overlap_seconds } } as const;
        if (overlap_seconds === 0) await requireConfirmed(terminal, operations, call, yes);
        printAnswer(terminal, await operations.run(call), json, ({ kid }) =>
          terminal.stdout.write(`Key ${kid} signs now.\n`),
        );
      });
    });
};
