import type { Schedule } from "@postern/core";
import type { Command } from "commander";
import { type Session, withSession } from "../session.ts";
import { hint, type Terminal, table } from "../terminal.ts";

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

/** `postern schedules …` */
export const addScheduleCommands = (schedules: Command, terminal: Terminal): void => {
  schedules
    .command("list")
    .description("list the schedules of the configuration file, with their last and their next time")
    .option("--json", "print { items } as JSON")
    .addHelpText("after", hint("\nThe runs of a schedule: postern jobs list --handler <name>", terminal))
    .action(async ({ json }: { json?: boolean }) => {
      const items = await withSession(terminal, read);
      const rows = items.map(({ name, cron, time_zone: zone, last_at: last, next_at: next }) => [
        name,
        cron,
        zone,
        last,
        next,
      ]);
      terminal.stdout.write(
        json === true
          ? `${JSON.stringify({ items })}\n`
          : table(["schedule", "cron", "time zone", "last", "next"], rows, terminal.stdout.isTTY === true),
      );
    });
};
