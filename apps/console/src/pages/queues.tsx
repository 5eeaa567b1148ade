import { useState } from "preact/hooks";
import { api } from "../address.ts";
import { call, useLive } from "../api.ts";
import { count } from "../format.ts";
import { href } from "../router.ts";
import { may } from "../session.ts";
import { Button, Empty, Fault, notify, PageHead, Tag, Time } from "../ui/basics.tsx";
import { PauseDialog } from "../ui/pause-dialog.tsx";
import { Table } from "../ui/table.tsx";

export const Queues = () => {
  const { data, fault, refresh } = useLive(api("/admin/queues"), 5_000);
  const stats = useLive(api("/admin/stats"), 15_000);
  const [pausing, setPausing] = useState<string | undefined>();
  const resume = async (name: string): Promise<void> => {
    await call("POST", api("/admin/queues/{name}/resume", { name }));
    notify(`The queue ${name} runs.`);
    refresh();
  };
  return (
    <>
      <PageHead title="Queues" lead="A queue shows here while it is paused or has jobs that wait." />
      <Fault fault={fault} />
      <Table
        caption="Queues"
        rows={data?.data}
        keyOf={({ name }) => name}
        empty={
          <Empty title="Nothing waits, and no queue is paused.">
            {may("queues:write") ? (
              <Button onPress={() => setPausing("default")}>Pause the queue default</Button>
            ) : null}
          </Empty>
        }
        columns={[
          { head: "Queue", cell: ({ name }) => <a href={href("/jobs", { queue: name, state: "ready" })}>{name}</a> },
          { head: "State", cell: ({ paused }) => <Tag state={paused ? "paused" : "active"} /> },
          { head: "Why", cell: ({ note }) => note ?? "", isLong: true },
          { head: "Ready", cell: ({ ready }) => count(ready), isNumber: true },
          { head: "Oldest", cell: ({ oldest_ready_at: at }) => <Time at={at} />, isNumber: true, isMinor: true },
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
      <section class="below">
        <h2>Workers</h2>
        {stats.data?.runners.length === 0 ? <Empty title="No worker runs. Jobs wait until one starts." /> : null}
        <ul class="plain">
          {stats.data?.runners.map(({ id, name }) => (
            <li key={id} class="code-like">
              {name}
            </li>
          ))}
        </ul>
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
