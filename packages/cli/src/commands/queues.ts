import type { Command } from "commander";
import { z } from "zod";
import { withSession } from "../session.ts";
import { type Terminal, table } from "../terminal.ts";

export const queue = z.object({
  name: z.string(),
  paused: z.boolean(),
  note: z.string().nullable(),
  ready: z.number(),
  oldest_ready_at: z.string().nullable(),
});

export const queueHeadings = ["queue", "paused", "ready", "oldest", "note"];

export const queueRows = (queues: readonly z.infer<typeof queue>[]): readonly (readonly unknown[])[] =>
  queues.map(({ name, paused, note, ready, oldest_ready_at: oldest }) => [
    name,
    paused ? "yes" : "no",
    ready,
    oldest,
    note,
  ]);

const addListCommand = (queues: Command, terminal: Terminal): void => {
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
};

const addPauseCommand = (queues: Command, terminal: Terminal): void => {
  queues
    .command("pause")
    .description("start no more jobs of a queue; those that run go on")
    .argument("<name>", "the queue")
    .option("--note <text>", "why, for others to read")
    .action(async (name: string, { note }: { note?: string }) => {
      await withSession(terminal, async ({ run }) => {
        await run({ operation: "admin.queues.pause", params: { name }, body: note === undefined ? {} : { note } });
        const { data } = z.object({ data: z.array(queue) }).parse(await run({ operation: "admin.queues.list" }));
        const isEmpty = data.find((one) => one.name === name)?.ready === 0;
        // Any name can be paused before its first job comes. So a misspelled name is no error.
        const hint = isEmpty ? " No job waits in it; if you expected some, check the name." : "";
        terminal.stdout.write(`Queue ${name} is paused.${hint}\n`);
      });
    });
};

const addResumeCommand = (queues: Command, terminal: Terminal): void => {
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

/** `postern queues …` */
export const addQueueCommands = (queues: Command, terminal: Terminal): void => {
  addListCommand(queues, terminal);
  addPauseCommand(queues, terminal);
  addResumeCommand(queues, terminal);
};
