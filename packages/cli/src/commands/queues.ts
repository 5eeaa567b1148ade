import type { Command } from "commander";
import { addAction, addCall } from "../actions.ts";
import { addList, type Columns, type ItemOf } from "../print-list.ts";
import type { Terminal } from "../terminal.ts";

export const queueColumns: Columns<ItemOf<"admin.queues.list">> = {
  queue: "name",
  paused: ({ paused }) => (paused ? "yes" : "no"),
  ready: "ready",
  oldest: "oldest_ready_at",
  running: ({ running, at_once: most }) => (most === null ? running : `${running}/${most}`),
  "last minute": "ended_last_minute",
  "per second": "per_second",
  note: "note",
};

const addListCommand = (queues: Command, terminal: Terminal): void => {
  const list = queues.command("list").description("list queues, with their limits, what waits and what runs");
  addList(list, terminal, queueColumns, async ({ run }) => (await run({ operation: "admin.queues.list" })).data);
};

const addPauseCommand = (queues: Command, terminal: Terminal): void => {
  const pause = queues
    .command("pause")
    .description("start no more jobs of a queue; those that run go on")
    .argument("<name>", "the queue")
    .option("--note <text>", "why, for others to read");
  addAction(pause, terminal, async ({ run }, name: string, { note }: { note?: string }) => {
    await run({ operation: "admin.queues.pause", params: { name }, body: note === undefined ? {} : { note } });
    const { data } = await run({ operation: "admin.queues.list" });
    const isEmpty = data.find((one) => one.name === name)?.ready === 0;
    // Any name can be paused before its first job comes. So a misspelled name is no error.
    const hint = isEmpty ? " No job waits in it; if you expected some, check the name." : "";
    terminal.stdout.write(`Queue ${name} is paused.${hint}\n`);
  });
};

const addResumeCommand = (queues: Command, terminal: Terminal): void => {
  const resume = queues
    .command("resume")
    .description("start the jobs of a paused queue again")
    .argument("<name>", "the queue");
  addCall(resume, terminal, {
    call: (name: string) => ({ operation: "admin.queues.resume", params: { name } }),
    tell: (_none, name) => terminal.stdout.write(`Queue ${name} is not paused.\n`),
  });
};

/** `postern queues …` */
export const addQueueCommands = (queues: Command, terminal: Terminal): void => {
  addListCommand(queues, terminal);
  addPauseCommand(queues, terminal);
  addResumeCommand(queues, terminal);
};
