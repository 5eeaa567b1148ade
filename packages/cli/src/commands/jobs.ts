import { jobStates } from "@postern/core/ports";
import { type Command, Option } from "commander";
import { addAction, addCall } from "../actions.ts";
import { actOnEach } from "../each-id.ts";
import { filtersOf } from "../list-query.ts";
import { momentOf } from "../moment.ts";
import type { AnswerOf } from "../operations.ts";
import { addList, addPages, type Columns, type ItemOf, printList } from "../print-list.ts";
import { requireConfirmed } from "../require-confirmed.ts";
import { lookOf, printFacts, printTable, table, writeStyled } from "../table.ts";
import { escaped, type Terminal } from "../terminal.ts";
import { queueColumns } from "./queues.ts";

const columns: Columns<ItemOf<"admin.jobs.list">> = {
  id: "id",
  handler: "handler",
  sender: "provider",
  queue: "queue",
  state: "state",
  attempts: ({ attempt, max_attempts }) => `${attempt}/${max_attempts}`,
  created: "created_at",
  due: "due_at",
  "last error": "last_error",
};

interface Filters {
  readonly event?: string;
  readonly state?: string;
  readonly handler?: string;
  readonly queue?: string;
  readonly cause?: string;
  readonly provider?: string;
  readonly since?: string;
  readonly until?: string;
  readonly all?: boolean;
}

const addListCommand = (jobs: Command, terminal: Terminal): void => {
  const list = jobs
    .command("list")
    .description("list jobs, newest first")
    .addOption(new Option("--state <state>", "only in this state").choices(Object.keys(jobStates)))
    .option("--event <id>", "only those about this event, by Postern's id")
    .option("--handler <name>", "only this handler's")
    .option("--queue <name>", "only of this queue")
    .option("--cause <id>", "only those whose latest failure has this cause: an id of postern causes")
    .option("--provider <name>", "only those about an event of this sender")
    .option("--since <time>", "only those made from this time on: 30m, 24h, 7d ago, or an RFC 3339 time")
    .option("--until <time>", "only those made before then")
    .option(
      "--all",
      "also Postern's own upkeep, which --handler, --cause, --state running and --state dead show without this",
    );
  addPages(list, terminal, {
    operation: "admin.jobs.list",
    columns,
    filters: ({ event, state, handler, queue, cause, provider, since, until, all }: Filters) => {
      // What is asked for by name, or needs somebody, is shown in any case.
      const isNamed = handler !== undefined || cause !== undefined || state === "running" || state === "dead";
      const upkeep = all === true || isNamed ? undefined : "false";
      return filtersOf({
        ...{ event_id: event, state, handler, queue, cause, provider, upkeep },
        "created_at][gte": since === undefined ? undefined : momentOf("--since", since),
        "created_at][lt": until === undefined ? undefined : momentOf("--until", until),
      });
    },
  });
};

type Failure = AnswerOf<"admin.jobs.read">["failures"][number];

/** What a handler logged, a line each, as the log of the server shows it. */
const loggedLine = ({ at, level, message, fields }: Failure["log"][number]): string => {
  const about = Object.entries(fields).map(([name, value]) => ` ${name}=${String(value)}`);
  return escaped(`    ${at} ${level} ${message}${about.join("")}`);
};

/** A row for each failure, and below it the other lines of its error, the stack, and what it logged. */
const failuresTable = (failures: readonly Failure[], terminal: Terminal): string => {
  const errors = failures.map(({ error }) => error.split("\n"));
  const rows = failures.map(({ attempt, at, after_commit: isAfter }, index) => {
    const [first = ""] = errors[index] ?? [];
    return [attempt, at, isAfter ? `after its commit: ${first}` : first];
  });
  const [headings, ...lines] = table(["attempt", "at", "error"], rows, lookOf(terminal)).trimEnd().split("\n");
  const shown = lines.flatMap((row, index) => [
    row,
    ...(errors[index]?.slice(1).map(escaped) ?? []),
    ...(failures[index]?.log.map(loggedLine) ?? []),
  ]);
  return `${[headings, ...shown].join("\n")}\n`;
};

const addShowCommand = (jobs: Command, terminal: Terminal): void => {
  const show = jobs.command("show").description("show a job with its failures").argument("<id>", "the job's id");
  addCall(show, terminal, {
    call: (id: string) => ({ operation: "admin.jobs.read", params: { id } }),
    tell: ({ failures, ...facts }) => {
      printFacts(terminal, facts);
      if (failures.length === 0) return;
      terminal.stdout.write("\nfailures\n");
      writeStyled(terminal, failuresTable(failures, terminal));
    },
    json: "it",
  });
};

const addNeighboursCommand = (jobs: Command, terminal: Terminal): void => {
  const command = jobs
    .command("neighbours")
    .description("list the jobs of the same order key before and after a job, newest first")
    .argument("<id>", "the job's id");
  addList(command, terminal, columns, async ({ run }, id: string) => {
    const { before, after } = await run({ operation: "admin.jobs.neighbours", params: { id } });
    return [...after.toReversed(), ...before];
  });
};

const addRetryCommand = (jobs: Command, terminal: Terminal): void => {
  const retry = jobs
    .command("retry")
    .description("run dead or cancelled jobs again, and waiting ones at once")
    .argument("<id...>", "the jobs' ids")
    .option("--json", "print { items } as JSON");
  addAction(retry, terminal, ({ run }, ids: readonly string[], { json }: { json?: boolean }) =>
    actOnEach(terminal, {
      ids,
      json,
      act: (id) => run({ operation: "admin.jobs.retry", params: { id } }),
      line: (id, made) => (made.id === id ? `Job ${id} runs again.` : `Job ${made.id} runs in the place of job ${id}.`),
      what: "job",
      left: "were left as they are",
    }),
  );
};

interface CancelOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

const addCancelCommand = (jobs: Command, terminal: Terminal): void => {
  const end = jobs
    .command("cancel")
    .description("end jobs that wait, and tell running ones to stop; asks first")
    .argument("<id...>", "the jobs' ids")
    .option("--yes", "do not ask")
    .option("--json", "print { items } as JSON");
  addAction(end, terminal, async (operations, ids: readonly string[], { yes, json }: CancelOptions) => {
    const cancel = { operation: "admin.jobs.cancel" } as const;
    await requireConfirmed(terminal, operations, { ...cancel, params: { id: ids.join(", ") } }, yes);
    await actOnEach(terminal, {
      ids,
      json,
      act: (id) => operations.run({ ...cancel, params: { id } }),
      line: (id, { outcome }) =>
        outcome === "cancelled" ? `Job ${id} is cancelled.` : `Job ${id} is running; it was told to stop.`,
      what: "job",
      left: "were left as they are",
    });
  });
};

const addStatsCommand = (jobs: Command, terminal: Terminal): void => {
  const stats = jobs.command("stats").description("count jobs by state, and list queues and runners");
  addCall(stats, terminal, {
    call: () => ({ operation: "admin.stats" }),
    tell: (found) => {
      printTable(terminal, ["state", "jobs"], Object.entries(found.jobs));
      if (found.queues.length > 0) {
        terminal.stdout.write("\n");
        printList(terminal, {}, { items: found.queues, columns: queueColumns });
      }
      terminal.stdout.write(found.runners.length === 0 ? "\nNo runner is at work.\n" : "\n");
      const runners = found.runners.map(({ id, name }) => [id, name]);
      if (runners.length > 0) printTable(terminal, ["runner", "name"], runners);
    },
    json: "it",
  });
};

/** `postern jobs …` */
export const addJobCommands = (jobs: Command, terminal: Terminal): void => {
  addListCommand(jobs, terminal);
  addShowCommand(jobs, terminal);
  addNeighboursCommand(jobs, terminal);
  addRetryCommand(jobs, terminal);
  addCancelCommand(jobs, terminal);
  addStatsCommand(jobs, terminal);
};
