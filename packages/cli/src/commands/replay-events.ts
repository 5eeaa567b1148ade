import type { Command } from "commander";
import { z } from "zod";
import { numberOf } from "../number-of.ts";
import { type Operations, withOperations } from "../session.ts";
import { CommandError, counted, exitCodes, isConfirmed, type Terminal } from "../terminal.ts";
import { type MatchingOptions, matchingOf, withMatching } from "./matching-events.ts";

const replayed = z.object({ id: z.string(), jobs: z.number() });

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
      await withOperations(terminal, async ({ run }) =>
        ids.length > 0 ? replayEach(terminal, run, ids, options) : replayAll(terminal, run, options),
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
  run: Operations["run"],
  ids: readonly string[],
  options: ReplayOptions,
): Promise<void> => {
  const { json } = options;
  const items: object[] = [];
  let failed = 0;
  for (const id of ids) {
    try {
      const body = await run({ operation: "admin.events.replay", params: { id }, body: howOf(options) });
      items.push(replayed.parse(body));
      if (json !== true)
        terminal.stdout.write(`Event ${id} runs again (${counted(replayed.parse(body).jobs, "job")}).\n`);
    } catch (thrown) {
      if (ids.length === 1) throw thrown;
      failed += 1;
      terminal.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    }
  }
  if (json === true) terminal.stdout.write(`${JSON.stringify({ items })}\n`);
  if (failed > 0)
    throw new CommandError(exitCodes.someFailed, `${failed} of ${counted(ids.length, "event")} were not replayed.`);
};

const bulk = z.object({
  dry_run: z.boolean(),
  matched: z.number(),
  replayed: z.number(),
  jobs: z.number(),
  skipped: z.array(z.object({ reason: z.string(), events: z.number() })),
  last_due_at: z.string().nullable(),
  next: z.string().nullable(),
});

/** Shows the plan, asks, then runs it. */
const replayAll = async (terminal: Terminal, run: Operations["run"], options: ReplayOptions): Promise<void> => {
  const { rate, limit, json } = options;
  const body = {
    ...matchingOf(options),
    ...howOf(options),
    limit: numberOf("--limit", limit),
    ...(rate === undefined ? {} : { per_second: numberOf("--rate", rate) }),
  };
  const call = async (dry_run: boolean) =>
    bulk.parse(await run({ operation: "admin.events.replayMany", body: { ...body, dry_run } }));
  const plan = await call(true);
  const show = (outcome: z.infer<typeof bulk>): void =>
    void terminal.stdout.write(json === true ? `${JSON.stringify(outcome)}\n` : summaryOf(outcome, terminal));
  if (options.dryRun === true) return show(plan);
  if (plan.replayed === 0) return show({ ...plan, dry_run: false });
  if (options.yes !== true) {
    terminal.stderr.write(summaryOf(plan, terminal));
    if (!(await isConfirmed(terminal, `Run ${counted(plan.replayed, "event")} again?`))) {
      throw new CommandError(exitCodes.notConfirmed, "Nothing was changed; add --yes to do it.");
    }
  }
  show(await call(false));
};

const summaryOf = (outcome: z.infer<typeof bulk>, { inOptions = String }: Terminal): string =>
  [
    `${counted(outcome.matched, "event")} ${outcome.matched === 1 ? "matches" : "match"}; ${outcome.replayed} ${outcome.dry_run ? "would run again" : `run again (${counted(outcome.jobs, "job")})`}.\n`,
    ...outcome.skipped.map(({ reason, events: count }) => `  skipped ${count}: ${inOptions(reason)}\n`),
    ...(outcome.last_due_at === null ? [] : [`The last of them begins at ${outcome.last_due_at}.\n`]),
    ...(outcome.next === null ? [] : ["There are more events: run this again, or give a higher --limit.\n"]),
    ...(outcome.dry_run ? ["Nothing was changed.\n"] : []),
  ].join("");
