import { type Command, Option } from "commander";
import { z } from "zod";
import { filtersOf, type PageOptions, pageOf, withPage } from "../list-query.ts";
import { type Columns, type ListOutput, printList, printPage, withListOutput } from "../print-list.ts";
import { withOperations } from "../session.ts";
import { lookOf, printFacts, printTable, table, writeStyled } from "../table.ts";
import { CommandError, counted, escaped, exitCodes, type Terminal } from "../terminal.ts";
import { queue, queueColumns } from "./queues.ts";

/** A job as lists have it. */
export const job = z.looseObject({
  id: z.string(),
  handler: z.string(),
  queue: z.string(),
  state: z.string(),
  attempt: z.number(),
  max_attempts: z.number(),
  due_at: z.string().nullable(),
  created_at: z.string(),
  last_error: z.string().nullable(),
});
const line = z.object({
  at: z.string(),
  level: z.string(),
  message: z.string(),
  fields: z.record(z.string(), z.unknown()),
});
/** A job with its failures. */
export const whole = job.extend({
  failures: z.array(
    z.object({
      attempt: z.number(),
      at: z.string(),
      error: z.string(),
      after_commit: z.boolean().default(false),
      // Servers before this one answer none.
      log: z.array(line).default([]),
    }),
  ),
});
const stats = z.object({
  jobs: z.record(z.string(), z.number()),
  queues: z.array(queue),
  runners: z.array(z.object({ id: z.string(), name: z.string() })),
});

const columns: Columns<z.infer<typeof job>> = {
  id: ({ id }) => id,
  handler: ({ handler }) => handler,
  queue: ({ queue }) => queue,
  state: ({ state }) => state,
  attempts: ({ attempt, max_attempts }) => `${attempt}/${max_attempts}`,
  created: ({ created_at }) => created_at,
  due: ({ due_at }) => due_at,
  "last error": ({ last_error }) => last_error,
};

const states = ["ready", "scheduled", "running", "blocked", "done", "dead", "cancelled"];

interface ListOptions extends PageOptions, ListOutput {
  readonly event?: string;
  readonly state?: string;
  readonly handler?: string;
  readonly queue?: string;
  readonly cause?: string;
  readonly all?: boolean;
}

/** How `retry` and `cancel` change each job of a list. */
interface Action {
  readonly operation: string;
  readonly done: (id: string, body: { readonly id: string; readonly outcome?: string }) => string;
}

const retry: Action = {
  operation: "admin.jobs.retry",
  done: (id, body) => (body.id === id ? `Job ${id} runs again.` : `Job ${body.id} runs in the place of job ${id}.`),
};
const cancel: Action = {
  operation: "admin.jobs.cancel",
  done: (id, body) =>
    body.outcome === "cancelled" ? `Job ${id} is cancelled.` : `Job ${id} is running; it was told to stop.`,
};
const acted = z.object({ id: z.string(), outcome: z.string().optional() });

/**
 * Does the same to each job. If there are several, it reports a failure and continues with the
 * others.
 * @throws CommandError when some of them failed.
 */
const act = async (
  terminal: Terminal,
  { operation, done }: Action,
  ids: readonly string[],
  json: boolean,
): Promise<void> => {
  await withOperations(terminal, async ({ run }) => {
    const items: object[] = [];
    let failed = 0;
    for (const id of ids) {
      try {
        const { outcome, ...body } = acted.parse(await run({ operation, params: { id } }));
        items.push(outcome === undefined ? body : { ...body, outcome });
        if (!json) terminal.stdout.write(`${done(id, outcome === undefined ? body : { ...body, outcome })}\n`);
      } catch (thrown) {
        if (ids.length === 1) throw thrown;
        failed += 1;
        terminal.stderr.write(`${id}: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
      }
    }
    if (json) terminal.stdout.write(`${JSON.stringify({ items })}\n`);
    if (failed > 0)
      throw new CommandError(exitCodes.someFailed, `${failed} of ${counted(ids.length, "job")} were left as they are.`);
  });
};

const addListCommand = (jobs: Command, terminal: Terminal): void => {
  const list = jobs
    .command("list")
    .description("list jobs, newest first")
    .addOption(new Option("--state <state>", "only in this state").choices(states))
    .option("--event <id>", "only those about this event, by Postern's id")
    .option("--handler <name>", "only this handler's")
    .option("--queue <name>", "only of this queue")
    .option("--cause <id>", "only those whose latest failure has this cause: an id of postern causes")
    .option(
      "--all",
      "also Postern's own upkeep, which --handler, --cause, --state running and --state dead show without this",
    );
  withListOutput(withPage(list)).action(
    async ({ event, state, handler, queue, cause, all, ...options }: ListOptions) => {
      // What is asked for by name, or needs somebody, is shown in any case.
      const isNamed = handler !== undefined || cause !== undefined || state === "running" || state === "dead";
      const upkeep = all === true || isNamed ? undefined : "false";
      const filters = filtersOf({ event_id: event, state, handler, queue, cause, upkeep });
      const query = { ...pageOf(options), ...filters };
      await withOperations(terminal, async ({ run }) =>
        printPage(terminal, options, { item: job, columns }, await run({ operation: "admin.jobs.list", query })),
      );
    },
  );
};

/** What a handler logged, a line each, as the log of the server shows it. */
const loggedLine = ({ at, level, message, fields }: z.infer<typeof line>): string => {
  const about = Object.entries(fields).map(([name, value]) => ` ${name}=${String(value)}`);
  return escaped(`    ${at} ${level} ${message}${about.join("")}`);
};

/** A row for each failure, and below it the other lines of its error, the stack, and what it logged. */
const failuresTable = (failures: z.infer<typeof whole>["failures"], terminal: Terminal): string => {
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
  jobs
    .command("show")
    .description("show a job with its failures")
    .argument("<id>", "the job's id")
    .option("--json", "print it as JSON")
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withOperations(terminal, async ({ run }) => {
        const body = await run({ operation: "admin.jobs.read", params: { id } });
        if (json === true) {
          terminal.stdout.write(`${JSON.stringify(body)}\n`);
          return;
        }
        const { failures, ...facts } = whole.parse(body);
        printFacts(terminal, facts);
        if (failures.length === 0) return;
        terminal.stdout.write("\nfailures\n");
        writeStyled(terminal, failuresTable(failures, terminal));
      });
    });
};

const neighbours = z.object({ before: z.array(job), after: z.array(job) });

const addNeighboursCommand = (jobs: Command, terminal: Terminal): void => {
  const command = jobs
    .command("neighbours")
    .description("list the jobs of the same order key before and after a job, newest first")
    .argument("<id>", "the job's id");
  withListOutput(command, "{ items }").action(async (id: string, options: ListOutput) => {
    await withOperations(terminal, async ({ run }) => {
      const body = await run({ operation: "admin.jobs.neighbours", params: { id } });
      const { before, after } = neighbours.parse(body);
      printList(terminal, options, { items: [...after.toReversed(), ...before], columns });
    });
  });
};

const addRetryCommand = (jobs: Command, terminal: Terminal): void => {
  jobs
    .command("retry")
    .description("run dead or cancelled jobs again, and waiting ones at once")
    .argument("<id...>", "the jobs' ids")
    .option("--json", "print { items } as JSON")
    .action((ids: readonly string[], { json }: { json?: boolean }) => act(terminal, retry, ids, json === true));
};

const addCancelCommand = (jobs: Command, terminal: Terminal): void => {
  jobs
    .command("cancel")
    .description("end jobs that wait, and tell running ones to stop")
    .argument("<id...>", "the jobs' ids")
    .option("--json", "print { items } as JSON")
    .action((ids: readonly string[], { json }: { json?: boolean }) => act(terminal, cancel, ids, json === true));
};

const addStatsCommand = (jobs: Command, terminal: Terminal): void => {
  jobs
    .command("stats")
    .description("count jobs by state, and list queues and runners")
    .option("--json", "print it as JSON")
    .action(async ({ json }: { json?: boolean }) => {
      await withOperations(terminal, async ({ run }) => {
        const found = stats.parse(await run({ operation: "admin.stats" }));
        if (json === true) {
          terminal.stdout.write(`${JSON.stringify(found)}\n`);
          return;
        }
        printTable(terminal, ["state", "jobs"], Object.entries(found.jobs));
        if (found.queues.length > 0) {
          terminal.stdout.write("\n");
          printList(terminal, {}, { items: found.queues, columns: queueColumns });
        }
        terminal.stdout.write(found.runners.length === 0 ? "\nNo runner is at work.\n" : "\n");
        const runners = found.runners.map(({ id, name }) => [id, name]);
        if (runners.length > 0) printTable(terminal, ["runner", "name"], runners);
      });
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
