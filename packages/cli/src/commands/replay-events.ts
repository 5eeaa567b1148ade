import type { Command } from "commander";
import { actOnEach } from "../each-id.ts";
import { numberOf } from "../number-of.ts";
import type { AnswerOf, Operations } from "../operations.ts";
import { requireConfirmed } from "../require-confirmed.ts";
import { withOperations } from "../session.ts";
import { CommandError, counted, exitCodes, type Terminal } from "../terminal.ts";
import { type MatchingOptions, matchingOf, withMatching } from "./matching-events.ts";

/** `postern events replay` */
export const addReplayCommand = (events: Command, terminal: Terminal): void => {
  const replay = events
    .command("replay")
    .description("run dead, cancelled, ignored, quarantined or discarded events again: by id, or all that match")
    .argument("[id...]", "the events' ids");
  withMatching(replay)
    .option("--rate <n>", "how many events begin per second")
    .option("--limit <n>", "how many events to look at, up to 10000", "1000")
    .option("--dry-run", "only show what would be done")
    .option("--yes", "do it without being asked")
    .option("--force", "also events that have been processed")
    .option("--overrule", "also events that lack what their sender promises; give --reason")
    .option("--reason <text>", "with --overrule: why, for other administrators")
    .option("--as-type <type>", "with --overrule: the type of events to which their sender gave none")
    .option("--json", "print the outcome as JSON")
    .action(async (ids: readonly string[], options: ReplayOptions) => {
      const { overrule = false, reason, asType } = options;
      const isOverruling = overrule && reason !== undefined;
      if (!isOverruling && (overrule || reason !== undefined || asType !== undefined))
        throw new CommandError(exitCodes.usage, "Give --overrule and --reason together.");
      if ((ids.length === 0) === (options.state === undefined)) {
        throw new CommandError(exitCodes.usage, "Name events by their ids, or all of a state with --state.");
      }
      await withOperations(terminal, (operations) =>
        ids.length > 0 ? replayEach(terminal, operations, ids, options) : replayAll(terminal, operations, options),
      );
    });
};

interface ReplayOptions extends MatchingOptions {
  readonly rate?: string;
  readonly limit: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly overrule?: boolean;
  readonly reason?: string;
  readonly asType?: string;
  readonly json?: boolean;
}

/** How events are replayed, as the API takes it. */
const howOf = ({ force, overrule, reason, asType }: ReplayOptions) => ({
  force: force === true,
  ...(overrule === true ? { overrule, reason } : {}),
  ...(asType === undefined ? {} : { as_type: asType }),
});

const replayEach = async (
  terminal: Terminal,
  operations: Operations,
  ids: readonly string[],
  options: ReplayOptions,
): Promise<void> => {
  const replay = { operation: "admin.events.replay", body: howOf(options) } as const;
  // Only what has been processed takes effect a second time.
  if (options.force === true) {
    await requireConfirmed(terminal, operations, { ...replay, params: { id: ids.join(", ") } }, options.yes);
  }
  await actOnEach(terminal, {
    ids,
    json: options.json,
    act: (id) => operations.run({ ...replay, params: { id } }),
    line: (id, { jobs }) => `Event ${id} runs again (${counted(jobs, "job")}).`,
    what: "event",
    left: "were not replayed",
  });
};

type Report = AnswerOf<"admin.events.replayMany">;

/** Shows the plan, asks, then runs it. */
const replayAll = async (terminal: Terminal, operations: Operations, options: ReplayOptions): Promise<void> => {
  const { rate, limit, json } = options;
  const body = {
    ...matchingOf(options),
    ...howOf(options),
    limit: numberOf("--limit", limit),
    ...(rate === undefined ? {} : { per_second: numberOf("--rate", rate) }),
  };
  const replay = { operation: "admin.events.replayMany" } as const;
  const call = (dry_run: boolean) => operations.run({ ...replay, body: { ...body, dry_run } });
  const plan = await call(true);
  const show = (outcome: Report): void =>
    void terminal.stdout.write(json === true ? `${JSON.stringify(outcome)}\n` : summaryOf(outcome, terminal));
  if (options.dryRun === true) return show(plan);
  if (plan.replayed === 0) return show({ ...plan, dry_run: false });
  if (options.yes !== true) terminal.stderr.write(summaryOf(plan, terminal));
  await requireConfirmed(terminal, operations, replay, options.yes);
  show(await call(false));
};

const summaryOf = (outcome: Report, { inOptions = String }: Terminal): string =>
  [
    `${counted(outcome.matched, "event")} ${outcome.matched === 1 ? "matches" : "match"}; ${outcome.replayed} ${outcome.dry_run ? "would run again" : `run again (${counted(outcome.jobs, "job")})`}.\n`,
    ...outcome.skipped.map(({ reason, events: count }) => `  skipped ${count}: ${inOptions(reason)}\n`),
    ...(outcome.last_due_at === null ? [] : [`The last of them begins at ${outcome.last_due_at}.\n`]),
    ...(outcome.next === null ? [] : ["There are more events: run this again, or give a higher --limit.\n"]),
    ...(outcome.dry_run ? ["Nothing was changed.\n"] : []),
  ].join("");
