import type { Command } from "commander";
import { addCall } from "../actions.ts";
import { addList, type Columns, type ItemOf } from "../print-list.ts";
import { hint, type Terminal } from "../terminal.ts";

type Shown = ItemOf<"admin.schedules.list"> & { readonly next_at: string | null };

const columns: Columns<Shown> = {
  schedule: "name",
  times: "words",
  paused: ({ paused }) => (paused ? "yes" : "no"),
  last: "last_at",
  "last job": ({ last_job: job }) => (job === null ? null : `${job.state} (${job.id})`),
  next: "next_at",
};

const addListCommand = (schedules: Command, terminal: Terminal): void => {
  const list = schedules
    .command("list")
    .description("list the schedules of the configuration file: their times in words, the last, the next, the last job")
    .addHelpText("after", hint("\nThe runs of a schedule: postern jobs list --handler <name>", terminal));
  addList(list, terminal, columns, async ({ run }) => {
    const { data } = await run({ operation: "admin.schedules.list" });
    return data.map((one): Shown => ({ ...one, next_at: one.next_times[0] ?? null }));
  });
};

const addPauseCommand = (schedules: Command, terminal: Terminal): void => {
  const pause = schedules
    .command("pause")
    .description("let the times of a schedule pass without a run; a job that runs goes on")
    .argument("<name>", "the schedule")
    .option("--note <text>", "why, for others to read");
  addCall(pause, terminal, {
    call: (name: string, { note }: { note?: string }) => ({
      operation: "admin.schedules.pause",
      params: { name },
      body: note === undefined ? {} : { note },
    }),
    tell: (_none, name) => terminal.stdout.write(`Schedule ${name} is paused.\n`),
  });
};

const addResumeCommand = (schedules: Command, terminal: Terminal): void => {
  const resume = schedules
    .command("resume")
    .description("end the pause of a schedule; what came during it is not made up for")
    .argument("<name>", "the schedule");
  addCall(resume, terminal, {
    call: (name: string) => ({ operation: "admin.schedules.resume", params: { name } }),
    tell: (_none, name) => terminal.stdout.write(`Schedule ${name} is not paused.\n`),
  });
};

const addRunCommand = (schedules: Command, terminal: Terminal): void => {
  const start = schedules
    .command("run")
    .description("run a schedule now, beside its times, also while it is paused")
    .argument("<name>", "the schedule");
  addCall(start, terminal, {
    call: (name: string) => ({ operation: "admin.schedules.run", params: { name } }),
    tell: ({ id }, name) =>
      terminal.stdout.write(`Job ${id} runs ${name} now.${hint(` Look: postern jobs show ${id}`, terminal)}\n`),
  });
};

/** `postern schedules …` */
export const addScheduleCommands = (schedules: Command, terminal: Terminal): void => {
  addListCommand(schedules, terminal);
  addPauseCommand(schedules, terminal);
  addResumeCommand(schedules, terminal);
  addRunCommand(schedules, terminal);
};
