import type { Command } from "commander";
import { z } from "zod";
import { type Columns, printPage } from "../print-page.ts";
import { withSession } from "../session.ts";
import { CommandError, exitCodes, type Terminal, table } from "../terminal.ts";

const job = z.looseObject({
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
const whole = job.extend({
  failures: z.array(z.object({ attempt: z.number(), at: z.string(), error: z.string() })),
});
const queue = z.object({
  name: z.string(),
  paused: z.boolean(),
  note: z.string().nullable(),
  ready: z.number(),
  oldest_ready_at: z.string().nullable(),
});
const stats = z.object({
  jobs: z.record(z.string(), z.number()),
  queues: z.array(queue),
  runners: z.array(z.object({ id: z.string(), name: z.string() })),
});
const queueHeadings = ["queue", "paused", "ready", "oldest", "note"];

const queueRows = (queues: readonly z.infer<typeof queue>[]): readonly (readonly unknown[])[] =>
  queues.map(({ name, paused, note, ready, oldest_ready_at: oldest }) => [
    name,
    paused ? "yes" : "no",
    ready,
    oldest,
    note,
  ]);

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

interface ListOptions {
  readonly state?: string;
  readonly handler?: string;
  readonly queue?: string;
  readonly limit: string;
  readonly cursor?: string;
  readonly json?: boolean;
}

/** What `retry` and `cancel` do to each job of a list. */
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

/** `postern jobs …` */
export const addJobCommands = (program: Command, terminal: Terminal): void => {
  const jobs = program.command("jobs").description("look at background jobs, run them again, cancel them");

  const act = async (ids: readonly string[], { operation, done }: Action, json: boolean): Promise<void> => {
    await withSession(terminal, async ({ run }) => {
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
          terminal.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
        }
      }
      if (json) terminal.stdout.write(`${JSON.stringify({ items })}\n`);
      if (failed > 0)
        throw new CommandError(exitCodes.someFailed, `${failed} of ${ids.length} jobs were left as they are.`);
    });
  };

  jobs
    .command("list")
    .description("list jobs, newest first")
    .option("--state <state>", "ready, scheduled, running, blocked, done, dead or cancelled")
    .option("--handler <name>", "only this handler's")
    .option("--queue <name>", "only of this queue")
    .option("--limit <n>", "1 to 100", "20")
    .option("--cursor <cursor>", "where the page begins")
    .option("--json", "print { items, next } as JSON")
    .action(async ({ json, ...query }: ListOptions) => {
      await withSession(terminal, async ({ run }) =>
        printPage(terminal, json, job, columns, await run({ operation: "admin.jobs.list", query: { ...query } })),
      );
    });

  jobs
    .command("show")
    .description("show a job with its failures")
    .argument("<id>", "the job's id")
    .option("--json", "print it as JSON")
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withSession(terminal, async ({ run }) => {
        const body = await run({ operation: "admin.jobs.read", params: { id } });
        if (json === true) {
          terminal.stdout.write(`${JSON.stringify(body)}\n`);
          return;
        }
        const { failures, ...facts } = whole.parse(body);
        terminal.stdout.write(table(["", ""], Object.entries(facts), terminal.stdout.isTTY === true));
        if (failures.length === 0) return;
        terminal.stdout.write("\nfailures\n");
        const rows = failures.map(({ attempt, at, error }) => [attempt, at, error]);
        terminal.stdout.write(table(["attempt", "at", "error"], rows, terminal.stdout.isTTY === true));
      });
    });

  jobs
    .command("retry")
    .description("run dead or cancelled jobs again, and waiting ones at once")
    .argument("<id...>", "the jobs' ids")
    .option("--json", "print { items } as JSON")
    .action((ids: readonly string[], { json }: { json?: boolean }) => act(ids, retry, json === true));

  jobs
    .command("cancel")
    .description("end jobs that wait, and tell running ones to stop")
    .argument("<id...>", "the jobs' ids")
    .option("--json", "print { items } as JSON")
    .action((ids: readonly string[], { json }: { json?: boolean }) => act(ids, cancel, json === true));

  jobs
    .command("stats")
    .description("count jobs by state, and list queues and runners")
    .option("--json", "print it as JSON")
    .action(async ({ json }: { json?: boolean }) => {
      await withSession(terminal, async ({ run }) => {
        const found = stats.parse(await run({ operation: "admin.stats" }));
        if (json === true) {
          terminal.stdout.write(`${JSON.stringify(found)}\n`);
          return;
        }
        const aligned = terminal.stdout.isTTY === true;
        const runners = found.runners.map(({ id, name }) => [id, name]);
        const parts = [
          table(["state", "jobs"], Object.entries(found.jobs), aligned),
          found.queues.length === 0 ? "" : table(queueHeadings, queueRows(found.queues), aligned),
          runners.length === 0 ? "No runner is at work.\n" : table(["runner", "name"], runners, aligned),
        ];
        terminal.stdout.write(parts.filter((part) => part !== "").join("\n"));
      });
    });

  const queues = program.command("queues").description("look at queues, pause and resume them");

  queues
    .command("list")
    .description("list queues that are paused or have waiting jobs")
    .option("--json", "print { items } as JSON")
    .action(async ({ json }: { json?: boolean }) => {
      await withSession(terminal, async ({ run }) => {
        const { data } = z.object({ data: z.array(queue) }).parse(await run({ operation: "admin.queues.list" }));
        terminal.stdout.write(
          json === true
            ? `${JSON.stringify({ items: data })}\n`
            : table(queueHeadings, queueRows(data), terminal.stdout.isTTY === true),
        );
      });
    });

  queues
    .command("pause")
    .description("start no more jobs of a queue; those that run go on")
    .argument("<name>", "the queue")
    .option("--note <text>", "why, for others to read")
    .action(async (name: string, { note }: { note?: string }) => {
      await withSession(terminal, async ({ run }) => {
        await run({ operation: "admin.queues.pause", params: { name }, body: note === undefined ? {} : { note } });
        terminal.stdout.write(`Queue ${name} is paused.\n`);
      });
    });

  queues
    .command("resume")
    .description("start the jobs of a paused queue again")
    .argument("<name>", "the queue")
    .action(async (name: string) => {
      await withSession(terminal, async ({ run }) => {
        await run({ operation: "admin.queues.resume", params: { name } });
        terminal.stdout.write(`Queue ${name} is not paused.\n`);
      });
    });
};
