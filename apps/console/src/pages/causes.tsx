import { useState } from "preact/hooks";
import { api, type Posted } from "../address.ts";
import { call, useLive } from "../api.ts";
import { count, counted, percent, since } from "../format.ts";
import { go, href, route, setQuery } from "../router.ts";
import { may } from "../session.ts";
import { Button, CodeBlock, Empty, Fault, Field, PageHead, Tag, Time } from "../ui/basics.tsx";
import { useTotal } from "../ui/paged.tsx";
import { Table } from "../ui/table.tsx";
import { CauseTable } from "./now.tsx";

const spans: readonly (readonly [value: string, text: string])[] = [
  ["", "All that is kept"],
  ["1", "Last hour"],
  ["24", "Last day"],
  ["168", "Last week"],
];

export const Causes = () => {
  const hours = route.value.query.get("hours") ?? "";
  const { data, fault } = useLive(api("/admin/causes", { limit: 100, since: since(hours) }), 15_000);
  return (
    <>
      <PageHead
        title="Causes"
        lead="Failures of handlers that have one cause in common: the same error at the same place."
        actions={
          <Field
            label="Time"
            hidesLabel
            value={hours}
            choices={spans}
            onInput={(value) => setQuery({ hours: value })}
          />
        }
      />
      <Fault fault={fault} />
      <CauseTable causes={data?.data} />
    </>
  );
};

/** Makes a plan and leads to it. A plan counts what it would do, and changes nothing until it runs. */
export const makePlan = async (body: Posted<"/admin/plans">): Promise<void> => {
  const { id } = await call("POST", api("/admin/plans"), body);
  go(`/plans/${id}`);
};

export const CausePage = ({ id }: { readonly id: string }) => {
  const causes = useLive(api("/admin/causes", { limit: 100 }), 15_000);
  const deadOfCause = { "filter[cause]": id, "filter[state]": "dead" };
  const dead = useLive(api("/admin/events", { ...deadOfCause, limit: 50, sort: "-id" }), 5_000);
  const total = useTotal(api("/admin/events", deadOfCause), 5_000);
  const [reason, setReason] = useState("");
  const cause = causes.data?.data.find((one) => one.id === id);
  const waiting = total.count ?? 0;
  return (
    <>
      <PageHead
        title={cause === undefined ? "Cause" : cause.message}
        back={[href("/causes"), "Causes"]}
        lead={
          cause === undefined ? undefined : (
            <>
              <code>{cause.handler}</code> · {counted(cause.failures, "failure")}, {percent(cause.share)} of all · first{" "}
              <Time at={cause.first_at} />, last <Time at={cause.last_at} />
            </>
          )
        }
        actions={
          may("events:replay") && waiting > 0 ? (
            <Button kind="main" onPress={() => makePlan({ action: "replay", filter: { cause: id, state: "dead" } })}>
              Plan a replay of {count(waiting)}
            </Button>
          ) : undefined
        }
      />
      <Fault fault={dead.fault} />
      {cause === undefined && causes.data !== undefined ? (
        <Empty title="This cause is not among the newest 100." />
      ) : null}
      {cause === undefined ? null : (
        <section>
          <h2>
            Last failure <Time at={cause.example.at} />
          </h2>
          <CodeBlock text={cause.example.error} />
        </section>
      )}
      <section>
        <h2>Dead events</h2>
        <Table
          caption="Dead events with this cause"
          noun="event"
          rows={dead.data?.data}
          total={total}
          keyOf={(event) => event.id}
          hrefOf={(event) => href(`/events/${event.id}`)}
          empty={<Empty title="None is dead any more." />}
          columns={[
            { head: "Event", cell: (event) => event.id, isNumber: true },
            { head: "Sender", cell: (event) => event.provider },
            { head: "Type", cell: (event) => event.type ?? "–", isLong: true },
            { head: "State", cell: ({ state }) => <Tag state={state} />, isMinor: true },
            { head: "Received", cell: (event) => <Time at={event.received_at} />, isNumber: true },
          ]}
        />
      </section>
      {may("events:replay") && waiting > 0 ? (
        <section class="aside-form">
          <h2>Discard them instead</h2>
          <p class="soft">They are not run again, and no longer count as dead. Say why; the audit log keeps it.</p>
          <form
            class="inline"
            onSubmit={(event) => {
              event.preventDefault();
              void makePlan({ action: "discard", reason, filter: { cause: id, state: "dead" } });
            }}
          >
            <Field label="Reason" value={reason} onInput={setReason} required maxLength={200} />
            <Button type="submit">Plan a discard</Button>
          </form>
        </section>
      ) : null}
    </>
  );
};
