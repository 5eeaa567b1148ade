import { api, type RowOf } from "../address.ts";
import { call, useLive } from "../api.ts";
import { count, span } from "../format.ts";
import { href } from "../router.ts";
import { may } from "../session.ts";
import { AskingButton, Question } from "../ui/asking.tsx";
import { Button, Empty, Fault, notify, PageHead, Tag, Time } from "../ui/basics.tsx";
import { Table } from "../ui/table.tsx";

type Plan = RowOf<"/admin/plans">;

const wordsOf: Readonly<Record<keyof Plan["filter"], (value: string) => string>> = {
  state: (value) => `${value} events`,
  provider: (value) => `of ${value}`,
  type: (value) => `of the type ${value}`,
  cause: (value) => `with the cause ${value}`,
  received_since: (value) => `received since ${value}`,
  received_before: (value) => `received before ${value}`,
  text: (value) => `that contain “${value}”`,
};

/** Which events a plan is about, in words. */
const aboutOf = ({ action, filter }: Plan, cause?: string): string => {
  const about = { ...filter, cause: filter.cause !== null && cause !== undefined ? `“${cause}”` : filter.cause };
  const words = Object.entries(about).flatMap(([name, value]) =>
    value === null ? [] : [wordsOf[name as keyof Plan["filter"]](value)],
  );
  return `${action === "replay" ? "Replay" : "Discard"} ${words.length === 0 ? "events" : words.join(" ")}`;
};

const shareOf = ({ report, dry_run, state }: Plan): number =>
  state === "done" ? 1 : dry_run.matched === 0 ? 0 : Math.min(1, report.looked_at / dry_run.matched);

const Progress = ({ plan }: { readonly plan: Plan }) => (
  <progress max={1} value={shareOf(plan)} aria-label="Progress">
    {Math.round(shareOf(plan) * 100)}%
  </progress>
);

export const Plans = () => {
  const { data, fault } = useLive(api("/admin/plans", { limit: 100 }), 5_000);
  return (
    <>
      <PageHead
        title="Plans"
        lead="What is to happen to many events: counted first, then run at a rate you can stop."
      />
      <Fault fault={fault} />
      <Table
        caption="Plans"
        rows={data?.data}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => href(`/plans/${id}`)}
        empty={
          <Empty title="There is no plan yet.">
            <p>
              Make one from a <a href={href("/causes")}>cause</a> of failures, or from the{" "}
              <a href={href("/events", { state: "dead" })}>dead events</a>.
            </p>
          </Empty>
        }
        columns={[
          { head: "Plan", cell: (plan) => aboutOf(plan), isLong: true },
          { head: "State", cell: ({ state }) => <Tag state={state} /> },
          { head: "Progress", cell: (plan) => <Progress plan={plan} />, isMinor: true },
          { head: "Done", cell: ({ report }) => count(report.done), isNumber: true },
          { head: "Made", cell: ({ created_at }) => <Time at={created_at} />, isNumber: true, isMinor: true },
        ]}
      />
    </>
  );
};

export const PlanPage = ({ id }: { readonly id: string }) => {
  const { data: plan, fault, refresh } = useLive(api("/admin/plans/{id}", { id }), 1_000);
  const act = (step: "run" | "pause" | "resume" | "cancel", said: string) => async (): Promise<void> => {
    await call("POST", api(`/admin/plans/{id}/${step}`, { id }));
    notify(said);
    refresh();
  };
  const causes = useLive(plan?.filter.cause == null ? undefined : api("/admin/causes", { limit: 100 }));
  if (plan === undefined) return <Fault fault={fault} />;
  const cause = causes.data?.data.find(({ id: one }) => one === plan.filter.cause)?.message;
  const { state, dry_run: dry, report, per_second: rate } = plan;
  const left = Math.max(0, dry.done - report.done);
  return (
    <>
      <PageHead
        title={aboutOf(plan, cause)}
        back={[href("/plans"), "Plans"]}
        lead={
          <>
            <Tag state={state} /> · made <Time at={plan.created_at} /> · {count(rate)} each second
            {plan.reason === null ? null : <> · {plan.reason}</>}
          </>
        }
        actions={
          may("events:replay") ? (
            <>
              {state === "planned" ? (
                <Button kind="main" onPress={act("run", "The plan runs.")}>
                  Run
                </Button>
              ) : null}
              {state === "running" ? <Button onPress={act("pause", "The plan is paused.")}>Pause</Button> : null}
              {state === "paused" ? (
                <Button kind="main" onPress={act("resume", "The plan goes on.")}>
                  Resume
                </Button>
              ) : null}
              {["planned", "running", "paused"].includes(state) ? (
                <AskingButton
                  kind="danger"
                  method="POST"
                  at={api("/admin/plans/{id}/cancel", { id })}
                  send={act("cancel", "The plan is cancelled.")}
                >
                  Cancel
                </AskingButton>
              ) : null}
            </>
          ) : undefined
        }
      />
      {state === "planned" ? null : (
        <section>
          <Progress plan={plan} />
          <dl class="pairs">
            <dt>{plan.action === "replay" ? "Replayed" : "Discarded"}</dt>
            <dd>{count(report.done)}</dd>
            <dt>Jobs made</dt>
            <dd>{count(report.jobs)}</dd>
            <dt>Failed again</dt>
            <dd>{count(report.failed)}</dd>
            {state === "running" && left > 0 ? (
              <>
                <dt>Left, about</dt>
                <dd>
                  {count(left)}, {span((left / Math.max(rate, 0.01)) * 1000)}
                </dd>
              </>
            ) : null}
            {plan.ended_at === null ? null : (
              <>
                <dt>Ended</dt>
                <dd>
                  <Time at={plan.ended_at} whole />
                </dd>
              </>
            )}
          </dl>
          <Skipped skipped={report.skipped} />
        </section>
      )}
      <section>
        <h2>Counted before</h2>
        <dl class="pairs">
          <dt>Events that match</dt>
          <dd>
            {count(dry.matched)}
            {dry.complete ? "" : " or more"}
          </dd>
          <dt>Of these it will {plan.action}</dt>
          <dd>{count(dry.done)}</dd>
          {dry.handlers.map(({ handler, jobs }) => (
            <>
              <dt>
                Jobs for <code>{handler}</code>
              </dt>
              <dd>{count(jobs)}</dd>
            </>
          ))}
          {dry.order_key_waits === 0 ? null : (
            <>
              <dt>Wait for another event of their order key</dt>
              <dd>{count(dry.order_key_waits)}</dd>
            </>
          )}
        </dl>
        <Skipped skipped={dry.skipped} />
        {state === "planned" ? (
          <p class="soft">
            Nothing has changed yet. <Question method="POST" at={api("/admin/plans/{id}/run", { id })} />
          </p>
        ) : null}
      </section>
    </>
  );
};

const Skipped = ({ skipped }: { readonly skipped: Plan["report"]["skipped"] }) =>
  skipped.length === 0 ? null : (
    <ul class="skipped">
      {skipped.map(({ reason, events }) => (
        <li key={reason}>
          {count(events)} left out: {reason}
        </li>
      ))}
    </ul>
  );
