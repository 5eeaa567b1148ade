import { AppError, type Ports } from "@postern/core";
import type { Job, ScheduleState } from "@postern/core/ports";
import type { Schedule } from "@postern/jobs";
import { cronWords, jobAt } from "@postern/jobs/internal";
import type { Operation } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import { exampleSchedule } from "./wire/examples.ts";
import { pauseNote } from "./wire/queue.ts";
import { schedule } from "./wire/schedule.ts";
import { momentOf } from "./wire/times.ts";

const timesShown = 3;

const nextTimes = ({ cronPlan, clock }: Pick<Ports, "cronPlan" | "clock">, one: Schedule): readonly number[] => {
  const times: number[] = [];
  for (let at: number | undefined = clock.now(); times.length < timesShown; times.push(at)) {
    at = cronPlan.next(one, at);
    if (at === undefined) break;
  }
  return times;
};

const presentJob = (job: Job): z.infer<typeof schedule>["last_job"] => ({
  id: String(job.id),
  state: job.state,
  started_at: momentOf(job.startedAt),
  finished_at: momentOf(job.finishedAt),
});

type SchedulePorts = Pick<Ports, "storage" | "cronPlan" | "clock" | "wakeup">;

const present = async (
  ports: SchedulePorts,
  one: Schedule,
  state: ScheduleState | undefined,
): Promise<z.infer<typeof schedule>> => {
  const { scheduleSlots, jobRecords } = ports.storage;
  const lastJob = state?.lastJob === undefined ? undefined : await jobRecords.find(state.lastJob);
  const isPaused = state?.pausedAt !== undefined;
  return {
    name: one.name,
    cron: one.cron,
    time_zone: one.timeZone,
    words: cronWords(one),
    missed: one.missed,
    queue: one.queue ?? "default",
    paused: isPaused,
    paused_at: momentOf(state?.pausedAt),
    note: state?.note ?? null,
    next_times: isPaused ? [] : nextTimes(ports, one).map((at) => new Date(at).toISOString()),
    last_at: momentOf(await scheduleSlots.last(one.name)),
    last_job: lastJob === undefined ? null : presentJob(lastJob),
  };
};

const listSchedules = (ports: SchedulePorts, schedules: readonly Schedule[]): Operation =>
  adminOperation({
    id: "admin.schedules.list",
    method: "GET",
    path: "/admin/schedules",
    summary: "List the schedules of the application",
    success: {
      status: 200,
      description: "The schedules in the order of their declarations.",
      body: z.object({ data: z.array(schedule) }),
    },
    handle: async () => {
      const states = new Map((await ports.storage.scheduleSlots.states()).map((state) => [state.name, state]));
      const data: z.infer<typeof schedule>[] = [];
      for (const one of schedules) data.push(await present(ports, one, states.get(one.name)));
      return { status: 200, body: { data } };
    },
  });

/** Names may be longer than the ids of the audit log. */
const auditId = (name: string): string => name.slice(0, 64);

type Named = (name: string | undefined) => Schedule;

const pauseSchedule = (named: Named): Operation =>
  adminOperation({
    id: "admin.schedules.pause",
    method: "POST",
    path: "/admin/schedules/{name}/pause",
    summary: "Pause a schedule: its times pass without a run, and a job that runs goes on",
    bodyOptional: true,
    body: pauseNote,
    checkedAfterSchema: ["invalid_format"],
    success: { status: 204, description: "It is paused on every node." },
    errors: ["not_found"],
    handle: async (call) => {
      const { name } = named(call.params.name);
      return call.write({ resource: "schedule", id: auditId(name) }, async ({ scheduleSlots }) => {
        await scheduleSlots.pause(name, call.body.note, call.now());
        return { status: 204 };
      });
    },
  });

const resumeSchedule = (named: Named): Operation =>
  adminOperation({
    id: "admin.schedules.resume",
    method: "POST",
    path: "/admin/schedules/{name}/resume",
    summary: "End the pause of a schedule: it runs again at its next time",
    success: { status: 204, description: "The schedule is no longer paused." },
    errors: ["not_found"],
    handle: async (call) => {
      const { name } = named(call.params.name);
      return call.write({ resource: "schedule", id: auditId(name) }, async ({ scheduleSlots }) => {
        await scheduleSlots.resume(name, call.now());
        return { status: 204 };
      });
    },
  });

const runSchedule = ({ wakeup }: SchedulePorts, named: Named): Operation =>
  adminOperation({
    id: "admin.schedules.run",
    method: "POST",
    path: "/admin/schedules/{name}/run",
    summary: "Run a schedule now, beside its times, also while it is paused",
    success: {
      status: 202,
      description: "The job that will run. The time that its handler gets is now.",
      body: z.object({ id: z.string().meta({ examples: [exampleSchedule.last_job.id] }) }),
    },
    errors: ["not_found"],
    handle: async (call) => {
      const one = named(call.params.name);
      const answer = await call.write({ resource: "schedule", id: auditId(one.name) }, async ({ scheduleSlots }) => {
        const now = call.now();
        return { status: 202, body: { id: String(await scheduleSlots.run(one.name, jobAt(one, now), now)) } };
      });
      wakeup.notify();
      return answer;
    },
  });

/** Operations that show, pause and run the application's schedules; `upkeep` are Postern's own, which they leave out. */
export const scheduleOperations = (
  ports: SchedulePorts,
  all: readonly Schedule[],
  upkeep: readonly string[],
): readonly Operation[] => {
  const schedules = all.filter(({ name }) => !upkeep.includes(name));
  const named: Named = (wanted) => {
    // A name may have characters that are encoded in a path.
    const one = schedules.find(({ name }) => name === wanted || encodeURIComponent(name) === wanted);
    if (one === undefined) throw new AppError("not_found", { detail: "There is no such schedule." });
    return one;
  };
  return [listSchedules(ports, schedules), pauseSchedule(named), resumeSchedule(named), runSchedule(ports, named)];
};
