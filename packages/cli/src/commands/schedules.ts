import type { Command } from "commander";
import { type Columns, type ItemOf, type ListOutput, printList, withListOutput } from "../print-list.ts";
import { withOperations } from "../session.ts";
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
  withListOutput(list, "{ items }").action(async (output: ListOutput) => {
    await withOperations(terminal, async ({ run }) => {
      const { data } = await run({ operation: "admin.schedules.list" });
      const items = data.map((one): Shown => ({ ...one, next_at: one.next_times[0] ?? null }));
      printList(terminal, output, { items, columns });
    });
  });
};

const addPauseCommand = (schedules: Command, terminal: Terminal): void => {
  schedules
    .command("pause")
    .description("let the times of a schedule pass without a run; a job that runs goes on")
    .argument("<name>", "the schedule")
    .option("--note <text>", "why, for others to read")
    .action(async (name: string, { note }: { note?: string }) => {
      await withOperations(terminal, async ({ run }) => {
        await run({ operation: "admin.schedules.pause", params: { name }, body: note === undefined ? {} : { note } });
        terminal.stdout.write(`Schedule ${name} is paused.\n`);
      });
    });
};

const addResumeCommand = (schedules: Command, terminal: Terminal): void => {
  schedules
    .command("resume")
    .description("end the pause of a schedule; what came during it is not made up for")
    .argument("<name>", "the schedule")
    .action(async (name: string) => {
      await withOperations(terminal, async ({ run }) => {
        await run({ operation: "admin.schedules.resume", params: { name } });
        terminal.stdout.write(`Schedule ${name} is not paused.\n`);
      });
    });
};

const addRunCommand = (schedules: Command, terminal: Terminal): void => {
  schedules
    .command("run")
    .description("run a schedule now, beside its times, also while it is paused")
    .argument("<name>", "the schedule")
    .action(async (name: string) => {
      await withOperations(terminal, async ({ run }) => {
        const { id } = await run({ operation: "admin.schedules.run", params: { name } });
        terminal.stdout.write(`Job ${id} runs ${name} now.${hint(` Look: postern jobs show ${id}`, terminal)}\n`);
      });
    });
};

/** `postern schedules …` */
export const addScheduleCommands = (schedules: Command, terminal: Terminal): void => {
  addListCommand(schedules, terminal);
  addPauseCommand(schedules, terminal);
  addResumeCommand(schedules, terminal);
  addRunCommand(schedules, terminal);
};
