import type { Command } from "commander";
import { type Columns, type ItemOf, type ListOutput, printList, withListOutput } from "../print-list.ts";
import { withOperations } from "../session.ts";
import type { Terminal } from "../terminal.ts";

export const queueColumns: Columns<ItemOf<"admin.queues.list">> = {
  queue: "name",
  paused: ({ paused }) => (paused ? "yes" : "no"),
  ready: "ready",
  oldest: "oldest_ready_at",
  note: "note",
};

const addListCommand = (queues: Command, terminal: Terminal): void => {
  const list = queues.command("list").description("list queues that are paused or have waiting jobs");
  withListOutput(list, "{ items }").action(async (output: ListOutput) => {
    await withOperations(terminal, async ({ run }) => {
      const { data } = await run({ operation: "admin.queues.list" });
      printList(terminal, output, { items: data, columns: queueColumns });
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
      await withOperations(terminal, async ({ run }) => {
        await run({ operation: "admin.queues.pause", params: { name }, body: note === undefined ? {} : { note } });
        const { data } = await run({ operation: "admin.queues.list" });
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
      await withOperations(terminal, async ({ run }) => {
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
