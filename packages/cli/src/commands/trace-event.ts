import type { Command } from "commander";
import { withOperations } from "../session.ts";
import type { Terminal } from "../terminal.ts";
import { traceLines } from "../trace-lines.ts";

/** `postern events trace` */
export const addTraceCommand = (events: Command, terminal: Terminal): void => {
  events
    .command("trace")
    .description("show how an event was verified when it came, from what is kept of it")
    .argument("<id>", "the event's id")
    .option("--json", "print it as JSON")
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withOperations(terminal, async ({ run }) => {
        const shown = await run({ operation: "admin.events.trace", params: { id } });
        terminal.stdout.write(json === true ? `${JSON.stringify(shown)}\n` : traceLines(shown, true));
      });
    });
};
