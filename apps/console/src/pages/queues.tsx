import { useRef, useState } from "preact/hooks";
import { api, type RowOf } from "../address.ts";
import { call, useLive } from "../api.ts";
import { count } from "../format.ts";
import { href } from "../router.ts";
import { may } from "../session.ts";
import { Button, Empty, Fault, notify, PageHead, Tag, Time } from "../ui/basics.tsx";
import { PauseDialog } from "../ui/pause-dialog.tsx";
import { Table } from "../ui/table.tsx";

type Queue = RowOf<"/admin/queues">;

const workEveryMs = 5_000;

/** A queue that no worker works shows for as long as the page is open, with nothing in it. */
const useQueues = () => {
  const { data, fault, refresh } = useLive(api("/admin/queues"), workEveryMs);
  const seen = useRef(new Map<string, Queue>()).current;
  const idle = { paused: false, note: null, ready: 0, oldest_ready_at: null, running: 0, ended_last_minute: 0 };
  for (const [name, one] of seen) seen.set(name, { ...one, ...idle, workers: 0 });
  for (const one of data?.data ?? []) seen.set(one.name, one);
  const rows = [...seen.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return { rows: data === undefined ? undefined : rows, fault, refresh };
};

/** `3 of 20`: how many run, and how many may. */
const Running = ({ queue: { name, running, at_once: most } }: { readonly queue: Queue }) => (
  <a href={href("/jobs", { queue: name, state: "running" })}>
    {count(running)}
    {most === null ? "" : ` of ${count(most)}`}
  </a>
);

/** `31 a minute, at most 10 a second`: how many jobs ended, and how many may start. */
const Rate = ({ queue: { ended_last_minute: ended, per_second: most } }: { readonly queue: Queue }) => (
  <>
    {count(ended)} a minute
    {most === null ? null : <div class="soft">at most {count(most)} a second</div>}
  </>
);

const stateOf = ({ paused, workers, ready }: Queue): readonly [state: string, text: string] => {
  if (paused) return ["paused", "paused"];
  return workers === 0 && ready > 0 ? ["attention", "no worker"] : ["active", "active"];
};

export const Queues = () => {
  const { rows, fault, refresh } = useQueues();
  const stats = useLive(api("/admin/stats"), 3 * workEveryMs);
  const [pausing, setPausing] = useState<string | undefined>();
  const resume = async (name: string): Promise<void> => {
    await call("POST", api("/admin/queues/{name}/resume", { name }));
    notify(`The queue ${name} runs.`);
    refresh();
  };
  const runners = stats.data?.runners.map((one) => ({ id: one.id, name: one.name }));
  return (
    <>
      <PageHead
        title="Queues"
        lead="Where jobs wait for a worker, how many of them run at once, and how fast they go."
      />
      <Fault fault={fault} />
      <section>
        <Table
          caption="Queues"
          noun="queue"
          rows={rows}
          keyOf={({ name }) => name}
          empty={
            <Empty title="Nothing waits, no queue is paused, and no worker runs.">
              {may("queues:write") ? (
                <Button onPress={() => setPausing("default")}>Pause the queue default</Button>
              ) : null}
            </Empty>
          }
          columns={[
            {
              head: "Queue",
              cell: ({ name, note, paused }) => (
                <>
                  <a href={href("/jobs", { queue: name, state: "ready" })}>{name}</a>
                  {paused && note !== null ? <div class="soft only-narrow">{note}</div> : null}
                </>
              ),
            },
            {
              head: "State",
              cell: (one) => {
                const [state, text] = stateOf(one);
                return <Tag state={state}>{text}</Tag>;
              },
            },
            { head: "Why", cell: ({ note }) => note ?? "", isLong: true, isMinor: true },
            { head: "Ready", cell: ({ ready }) => count(ready), isNumber: true },
            { head: "Oldest", cell: ({ oldest_ready_at: at }) => <Time at={at} />, isNumber: true, isMinor: true },
            { head: "Running", cell: (one) => <Running queue={one} />, isNumber: true },
            { head: "Ended", cell: (one) => <Rate queue={one} />, isNumber: true, isMinor: true },
            { head: "Workers", cell: ({ workers }) => count(workers), isNumber: true, isMinor: true },
            {
              head: "",
              isNumber: true,
              cell: ({ name, paused }) =>
                may("queues:write") ? (
                  <Button onPress={() => (paused ? resume(name) : setPausing(name))}>
                    {paused ? "Resume" : "Pause"}
                  </Button>
                ) : null,
            },
          ]}
        />
      </section>
      <section>
        <h2>Workers</h2>
        <Table
          caption="Workers"
          noun="worker"
          rows={runners}
          keyOf={({ id }) => id}
          empty={<Empty title="No worker runs. Jobs wait until one starts." />}
          columns={[{ head: "Name", cell: ({ name }) => <span class="code-like">{name}</span> }]}
        />
      </section>
      {pausing === undefined ? null : (
        <PauseDialog
          what={`the queue ${pausing}`}
          path={api("/admin/queues/{name}/pause", { name: pausing })}
          meaning="Its jobs wait until you resume it. Jobs that run go on. Events are still taken."
          onClose={() => {
            setPausing(undefined);
            refresh();
          }}
        />
      )}
    </>
  );
};
