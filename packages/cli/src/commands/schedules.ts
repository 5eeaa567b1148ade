import type { Schedule } from "@postern/core";
import type { Command } from "commander";
import { type Columns, type ListOutput, printList, withListOutput } from "../print-list.ts";
import { type Session, withSession } from "../session.ts";
import { hint, type Terminal } from "../terminal.ts";

interface ShownSchedule {
  readonly name: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly missed: Schedule["missed"];
  readonly last_at: string | null;
  readonly next_at: string | null;
}

const timeOf = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());

const read = async ({ composition: { schedules, ports } }: Session): Promise<readonly ShownSchedule[]> => {
  const now = ports.clock.now();
  return Promise.all(
    schedules.map(async (one) => ({
      name: one.name,
      cron: one.cron,
      time_zone: one.timeZone,
      missed: one.missed,
      last_at: timeOf(await ports.storage.scheduleSlots.last(one.name)),
      next_at: timeOf(ports.cronPlan.next(one, now)),
    })),
  );
};

const columns: Columns<ShownSchedule> = {
  schedule: ({ name }) => name,
  cron: ({ cron }) => cron,
  "time zone": ({ time_zone }) => time_zone,
  last: ({ last_at }) => last_at,
  next: ({ next_at }) => next_at,
};

/** `postern schedules …` */
export const addScheduleCommands = (schedules: Command, terminal: Terminal): void => {
  const list = schedules
    .command("list")
    .description("list the schedules of the configuration file, with their last and their next time")
    .addHelpText("after", hint("\nThe runs of a schedule: postern jobs list --handler <name>", terminal));
  withListOutput(list, "{ items }").action(async (output: ListOutput) => {
    printList(terminal, output, { items: await withSession(terminal, read), columns });
  });
};
