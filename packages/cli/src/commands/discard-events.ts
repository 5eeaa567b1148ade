import type { Command } from "commander";
import { addAction } from "../actions.ts";
import { actOnEach } from "../each-id.ts";
import { requireConfirmed } from "../require-confirmed.ts";
import type { Terminal } from "../terminal.ts";

interface DiscardOptions {
  readonly reason: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `postern events discard` */
export const addDiscardCommand = (events: Command, terminal: Terminal): void => {
  const discard = events
    .command("discard")
    .description("give up dead, cancelled, ignored or quarantined events; only a replay takes that back; asks first")
    .argument("<id...>", "the events' ids")
    .requiredOption("--reason <text>", "why; it is kept with the events")
    .option("--yes", "do not ask")
    .option("--json", "print { items } as JSON");
  addAction(discard, terminal, async (operations, ids: readonly string[], { reason, yes, json }: DiscardOptions) => {
    const call = { operation: "admin.events.discard", body: { reason } } as const;
    await requireConfirmed(terminal, operations, { ...call, params: { id: ids.join(", ") } }, yes);
    await actOnEach(terminal, {
      ids,
      json,
      act: async (id) => {
        await operations.run({ ...call, params: { id } });
        return { id };
      },
      line: (id) => `Event ${id} is discarded.`,
      what: "event",
      left: "were not discarded",
    });
  });
};
