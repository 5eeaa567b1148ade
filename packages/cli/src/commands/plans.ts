import { eventActions } from "@postern/core/internal";
import { jobStates } from "@postern/core/ports";
import { Argument, type Command, Option } from "commander";
import { addAction, addCall, printAnswer } from "../actions.ts";
import { filtersOf } from "../list-query.ts";
import { numberOf } from "../number-of.ts";
import type { AnswerOf, Operations } from "../operations.ts";
import { addPages, type Columns, type ItemOf } from "../print-list.ts";
import { progressOn } from "../progress.ts";
import { requireConfirmed } from "../require-confirmed.ts";
import { CommandError, counted, exitCodes, hint, type Terminal } from "../terminal.ts";
import { type MatchingOptions, matchingOf, withMatching } from "./matching-events.ts";

type Plan = ItemOf<"admin.plans.list">;
type PlanInFull = AnswerOf<"admin.plans.read">;
type Skipped = Plan["dry_run"]["skipped"];

const sumOf = (reasons: Skipped): number => reasons.reduce((sum, { events }) => sum + events, 0);

const isAboutJobs = ({ action }: Pick<Plan, "action">): boolean => action === "retry" || action === "cancel";

/** What a plan goes through. */
const nounOf = (plan: Pick<Plan, "action">): "job" | "event" => (isAboutJobs(plan) ? "job" : "event");

const filterText = ({ filter, jobs }: Plan): string =>
  Object.entries(jobs ?? filter)
    .flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]))
    .join(" ");

const columns: Columns<Plan> = {
  id: "id",
  action: "action",
  state: "state",
  matched: ({ dry_run }) => (dry_run.complete ? dry_run.matched : `${dry_run.matched}+`),
  done: ({ report }) => report.done,
  skipped: ({ report }) => sumOf(report.skipped),
  failed: ({ report }) => report.failed,
  created: "created_at",
  filter: filterText,
};

/** What became of events or jobs, in words. */
const doneText = ({ action }: Plan, isPast: boolean): string => {
  if (action === "discard") return isPast ? "were discarded" : "would be discarded";
  if (action === "cancel") return isPast ? "were cancelled" : "would be cancelled";
  return isPast ? "run again" : "would run again";
};

const skippedLines = (reasons: Skipped, { inOptions = String }: Terminal): readonly string[] =>
  reasons.map(({ reason, events }) => `  skipped ${events}: ${inOptions(reason)}\n`);

/** What a plan would do. */
const dryRunLines = (shown: Plan, terminal: Terminal): readonly string[] => {
  const { dry_run: dry, per_second: rate } = shown;
  const among = dry.complete ? "" : ` of the first ${dry.looked_at} that were looked at`;
  return [
    `${counted(dry.matched, nounOf(shown))}${among} ${dry.matched === 1 ? "matches" : "match"}; ${dry.done} ${doneText(shown, false)}, at most ${rate} a second.\n`,
    ...dry.handlers.map(({ handler, jobs }) => `  ${handler}: ${counted(jobs, "job")}\n`),
    ...(dry.order_key_waits === 0
      ? []
      : [`  ${counted(dry.order_key_waits, "job")} would wait for an earlier one of the same order key\n`]),
    ...skippedLines(dry.skipped, terminal),
  ];
};

/** What a plan has done. */
const reportLines = (shown: PlanInFull, terminal: Terminal): readonly string[] => {
  const { report, remaining } = shown;
  return [
    `${report.done} ${doneText(shown, true)}${shown.action === "replay" ? ` (${counted(report.jobs, "job")})` : ""}, ${sumOf(report.skipped)} skipped, ${report.failed} failed, ${remaining} still to be looked at.\n`,
    ...skippedLines(report.skipped, terminal),
  ];
};

const describe = (shown: PlanInFull, terminal: Terminal): string => {
  const facts: readonly (readonly [string, unknown])[] = [
    ["id", shown.id],
    ["action", shown.action],
    ["state", shown.state],
    ["filter", filterText(shown)],
    ["reason", shown.reason],
    ["made by", shown.made_by?.name ?? shown.made_by?.id],
    ["force", shown.force],
    ["per second", shown.per_second],
    ["created", shown.created_at],
    ["started", shown.started_at],
    ["ended", shown.ended_at],
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  const lines = facts.map(([name, value]) => `${name.padEnd(width)}  ${value ?? "-"}\n`);
  return [...lines, "\ndry run\n", ...dryRunLines(shown, terminal), "\nreport\n", ...reportLines(shown, terminal)].join(
    "",
  );
};

const addListCommand = (plans: Command, terminal: Terminal): void => {
  const list = plans
    .command("list")
    .description("list plans, newest first")
    .addOption(
      new Option("--state <state>", "only in this state").choices([
        "planned",
        "running",
        "paused",
        "done",
        "cancelled",
      ]),
    );
  addPages(list, terminal, {
    operation: "admin.plans.list",
    columns,
    filters: ({ state }: { state?: string }) => filtersOf({ state }),
  });
};

const addShowCommand = (plans: Command, terminal: Terminal): void => {
  const show = plans
    .command("show")
    .description("show what a plan would do, what it has done, and what is left")
    .argument("<id>", "the plan's id");
  addCall(show, terminal, {
    call: (id: string) => ({ operation: "admin.plans.read", params: { id } }),
    tell: (shown) => terminal.stdout.write(describe(shown, terminal)),
    json: "it",
  });
};

interface MakeOptions extends MatchingOptions {
  readonly handler?: string;
  readonly queue?: string;
  readonly text?: string;
  readonly rate: string;
  readonly reason?: string;
  readonly force?: boolean;
}

/** Which jobs a plan is about. */
const jobsOf = ({ handler, queue, ...matching }: MakeOptions) => {
  const { type, received_since: since, received_before: before, ...shared } = matchingOf(matching);
  if (type !== undefined || matching.text !== undefined) {
    throw new CommandError(exitCodes.usage, "--type and --text choose events, and this plan is about jobs.");
  }
  return {
    ...shared,
    ...(handler === undefined ? {} : { handler }),
    ...(queue === undefined ? {} : { queue }),
    ...(since === undefined ? {} : { created_since: since }),
    ...(before === undefined ? {} : { created_before: before }),
  };
};

/** Which events a plan is about. */
const eventsOf = ({ handler, queue, text, ...matching }: MakeOptions) => {
  if (handler !== undefined || queue !== undefined) {
    throw new CommandError(exitCodes.usage, "--handler and --queue choose jobs, and this plan is about events.");
  }
  return { ...matchingOf(matching), ...(text === undefined ? {} : { text }) };
};

const addMakeCommand = (plans: Command, terminal: Terminal): void => {
  const make = plans
    .command("make")
    .description(
      "plan to replay or discard all events that match, or to retry or cancel all jobs, and show what that would do; nothing runs yet",
    )
    .addArgument(new Argument("<action>", "what to do with them").choices(["replay", "discard", "retry", "cancel"]));
  withMatching(make, [...new Set([...eventActions.replay, ...Object.keys(jobStates)])])
    .option("--handler <name>", "of jobs, only this handler's")
    .option("--queue <name>", "of jobs, only of this queue")
    .option("--text <text>", "only those whose payload contains this text")
    .option("--rate <n>", "how many events or jobs begin per second, 0.01 to 1000", "50")
    .option(
      "--reason <text>",
      "why, to discard, or to replay also events that lack what their sender promises; it is kept with the events",
    )
    .option("--force", "to replay, also events that have been processed");
  addCall(make, terminal, {
    call: (action: Plan["action"], options: MakeOptions) => {
      const { rate, reason, force } = options;
      const body = {
        action,
        ...(isAboutJobs({ action }) ? { jobs: jobsOf(options) } : { filter: eventsOf(options) }),
        per_second: numberOf("--rate", rate),
        force: force === true,
        ...(reason === undefined ? {} : { reason }),
      };
      return { operation: "admin.plans.create", body };
    },
    tell: (made) => {
      const lines = [`Plan ${made.id}\n`, ...dryRunLines(made, terminal), "Nothing was changed.\n"];
      terminal.stdout.write(lines.join(""));
      terminal.stderr.write(hint(`Run it: postern plans run ${made.id}\n`, terminal));
    },
    json: "it",
  });
};

const lookEveryMs = 500;

/** Waits until a plan runs no more. */
const waitFor = async (terminal: Terminal, run: Operations["run"], started: PlanInFull): Promise<PlanInFull> => {
  const progress = progressOn(terminal);
  let shown = started;
  try {
    while (shown.state === "running") {
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      shown = await run({ operation: "admin.plans.read", params: { id: started.id } });
      const { report, remaining } = shown;
      const all = report.looked_at + remaining;
      const text = `${report.looked_at} of ${all} ${nounOf(shown)}s, ${report.done} ${doneText(shown, true)}, ${report.failed} failed`;
      progress.show(text, all === 0 ? 1 : report.looked_at / all);
    }
  } finally {
    progress.end();
  }
  return shown;
};

interface RunOptions {
  readonly yes?: boolean;
  readonly wait?: boolean;
  readonly json?: boolean;
}

const addRunCommand = (plans: Command, terminal: Terminal): void => {
  const start = plans
    .command("run")
    .description("run a plan in the background, at its rate; the server or a worker does it")
    .argument("<id>", "the plan's id")
    .option("--yes", "do it without being asked")
    .option("--wait", "stay until it has ended, with a progress bar; Ctrl-C leaves it running")
    .option("--json", "print the plan as JSON");
  addAction(start, terminal, async (operations, id: string, { yes, wait, json }: RunOptions) => {
    const { run } = operations;
    const call = { operation: "admin.plans.run", params: { id } } as const;
    if (yes !== true) {
      const asked = await run({ operation: "admin.plans.read", params: { id } });
      terminal.stderr.write(dryRunLines(asked, terminal).join(""));
    }
    await requireConfirmed(terminal, operations, call, yes);
    const started = await run(call);
    if (wait === true) {
      const ended = await waitFor(terminal, run, started);
      const lines = [`Plan ${id}: ${ended.state}.\n`, ...reportLines(ended, terminal)];
      printAnswer(terminal, ended, json, () => terminal.stdout.write(lines.join("")));
      if (ended.report.failed === 0) return;
      throw new CommandError(exitCodes.someFailed, `${counted(ended.report.failed, nounOf(ended))} failed.`);
    }
    printAnswer(terminal, started, json, () => {
      terminal.stdout.write(`Plan ${id} runs.\n`);
      terminal.stderr.write(hint(`See how far it is: postern plans show ${id}\n`, terminal));
    });
  });
};

const otherMoves = [
  ["pause", "begin no further event of a plan; jobs that it has made go on", "is paused"],
  ["resume", "go on with a plan that is paused", "runs again"],
  ["cancel", "end a plan for good; what it has done stays; asks first", "is cancelled"],
] as const;

const addMoveCommands = (plans: Command, terminal: Terminal): void => {
  for (const [name, description, done] of otherMoves) {
    const move = plans.command(name).description(description).argument("<id>", "the plan's id");
    addCall(move, terminal, {
      call: (id: string) => ({ operation: `admin.plans.${name}` as const, params: { id } }),
      tell: (moved, id) => terminal.stdout.write([`Plan ${id} ${done}.\n`, ...reportLines(moved, terminal)].join("")),
      yes: name === "cancel" ? "do not ask" : undefined,
      json: "the plan",
    });
  }
};

/** `postern plans …` */
export const addPlanCommands = (plans: Command, terminal: Terminal): void => {
  for (const add of [addListCommand, addShowCommand, addMakeCommand, addRunCommand, addMoveCommands]) {
    add(plans, terminal);
  }
};
