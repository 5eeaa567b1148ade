import type { Command } from "commander";
import { addCall } from "../actions.ts";
import type { Terminal } from "../terminal.ts";
import { traceLines } from "../trace-lines.ts";

/** `postern events trace` */
export const addTraceCommand = (events: Command, terminal: Terminal): void => {
  const trace = events
    .command("trace")
    .description("show how an event was verified when it came, from what is kept of it")
    .argument("<id>", "the event's id");
  addCall(trace, terminal, {
    call: (id: string) => ({ operation: "admin.events.trace", params: { id } }),
    tell: (shown) => terminal.stdout.write(traceLines(shown, true)),
    json: "it",
  });
};
