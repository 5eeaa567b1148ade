import { useState } from "preact/hooks";
import { api, type RowOf } from "../address.ts";
import { call, useLive } from "../api.ts";
import { day, minuteOf, zone } from "../format.ts";
import { href } from "../router.ts";
import { may } from "../session.ts";
import { Button, CodeBlock, Empty, Fault, notify, PageHead, Tag, Time } from "../ui/basics.tsx";
import { JobOutcome } from "../ui/outcome.tsx";
import { PauseDialog } from "../ui/pause-dialog.tsx";
import { Table } from "../ui/table.tsx";

type Schedule = RowOf<"/admin/schedules">;

const example = `schedules: [
  schedule("report", "0 3 * * *", async ({ slot }) => { … }, { timeZone: "Europe/Berlin" }),
]`;

const dayOf = (at: string): string => day(at).replaceAll(" ", "\u00a0");

/** `30 Nov 07:00, 07:30 UTC+1`: the day where it is another one. */
const momentsOf = (times: readonly string[]): string => {
  const texts = times
    .map((at, place) => {
      const isSameDay = place > 0 && dayOf(at) === dayOf(times[place - 1] ?? at);
      return isSameDay ? minuteOf(at) : `${dayOf(at)}\u00a0${minuteOf(at)}`;
    })
    .join(", ");
  const last = times.at(-1);
  return last === undefined ? "" : `${texts} ${zone(last)}`;
};

/** How its last run ended. */
const Last = ({ job }: { readonly job: Schedule["last_job"] }) =>
  job === null ? (
    <span class="soft">never</span>
  ) : (
    <>
      <a href={href(`/jobs/${job.id}`)}>
        <Tag state={job.state} />
      </a>
      <div class="soft">
        <Time at={job.finished_at ?? job.started_at} />
      </div>
    </>
  );

/** When it runs next, or why it does not. */
const Next = ({ one }: { readonly one: Schedule }) =>
  one.paused ? (
    <>
      <Tag state="paused" /> <Time at={one.paused_at} />
      {one.note === null ? null : <div class="soft">{one.note}</div>}
    </>
  ) : (
    <>
      <Time at={one.next_times[0]} />
      <div class="soft">{momentsOf(one.next_times)}</div>
    </>
  );

export const Schedules = () => {
  const { data, fault, refresh } = useLive(api("/admin/schedules"), 10_000);
  const [pausing, setPausing] = useState<string | undefined>();
  /** The job of the run that somebody has asked for. */
  const [awaited, setAwaited] = useState<string | undefined>();
  const run = async (name: string): Promise<void> => {
    const { id } = await call("POST", api("/admin/schedules/{name}/run", { name }));
    setAwaited(id);
    refresh();
  };
  const resume = async (name: string): Promise<void> => {
    await call("POST", api("/admin/schedules/{name}/resume", { name }));
    notify(`${name} is no longer paused.`);
    refresh();
  };
  return (
    <>
      <PageHead title="Schedules" lead="Work of your application that starts at set times." />
      <Fault fault={fault} />
      {awaited === undefined ? null : <JobOutcome id={awaited} />}
      <Table
        caption="Schedules"
        noun="schedule"
        rows={data?.data}
        keyOf={({ name }) => name}
        empty={
          <Empty title="Your application declares no schedule.">
            <p>Add one to the configuration file:</p>
            <CodeBlock text={example} />
          </Empty>
        }
        columns={[
          {
            head: "Schedule",
            cell: ({ name, words, last_job }) => (
              <>
                <a href={href("/jobs", { handler: name })}>{name}</a>
                <div class="soft">{words}</div>
                <div class="only-narrow">
                  Last: <Last job={last_job} />
                </div>
              </>
            ),
          },
          { head: "Next", cell: (one) => <Next one={one} /> },
          {
            head: "Last",
            isMinor: true,
            cell: ({ last_job: job }) => <Last job={job} />,
          },
          { head: "Queue", cell: ({ queue }) => queue, isMinor: true },
          {
            head: "",
            isNumber: true,
            cell: ({ name, paused }) =>
              may("schedules:write") ? (
                <span class="actions">
                  <Button label={`Run ${name} now`} onPress={() => run(name)}>
                    Run now
                  </Button>
                  <Button
                    label={`${paused ? "Resume" : "Pause"} ${name}`}
                    onPress={() => (paused ? resume(name) : setPausing(name))}
                  >
                    {paused ? "Resume" : "Pause"}
                  </Button>
                </span>
              ) : null,
          },
        ]}
      />
      {pausing === undefined ? null : (
        <PauseDialog
          what={pausing}
          path={api("/admin/schedules/{name}/pause", { name: pausing })}
          meaning="Its times pass without a run until you resume it, and are not made up for. A job that runs goes on."
          onClose={() => {
            setPausing(undefined);
            refresh();
          }}
        />
      )}
    </>
  );
};
