import type { Command } from "commander";
import { withOperations } from "../session.ts";
import { CommandError, counted, exitCodes, type Terminal } from "../terminal.ts";

/** `postern events discard` */
export const addDiscardCommand = (events: Command, terminal: Terminal): void => {
  events
    .command("discard")
    .description("give up dead, cancelled, ignored or quarantined events; only a replay takes that back")
    .argument("<id...>", "the events' ids")
    .requiredOption("--reason <text>", "why; it is kept with the events")
    .option("--json", "print { items } as JSON")
    .action(async (ids: readonly string[], { reason, json }: { reason: string; json?: boolean }) => {
      await withOperations(terminal, async ({ run }) => {
        const items: object[] = [];
        for (const id of ids) {
          try {
            await run({ operation: "admin.events.discard", params: { id }, body: { reason } });
            items.push({ id });
            if (json !== true) terminal.stdout.write(`Event ${id} is discarded.\n`);
          } catch (thrown) {
            if (ids.length === 1) throw thrown;
            terminal.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
          }
        }
        if (json === true) terminal.stdout.write(`${JSON.stringify({ items })}\n`);
        const failed = ids.length - items.length;
        if (failed > 0) {
          throw new CommandError(
            exitCodes.someFailed,
            `${failed} of ${counted(ids.length, "event")} were not discarded.`,
          );
        }
      });
    });
};
