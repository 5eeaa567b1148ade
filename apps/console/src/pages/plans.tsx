import { api, type RowOf } from "../address.ts";
import { call, useLive } from "../api.ts";
import { count, moment, percent, span } from "../format.ts";
import { href } from "../router.ts";
import { may } from "../session.ts";
import { AskingButton, Question } from "../ui/asking.tsx";
import { Button, Empty, NotRead, notify, PageHead, Tag, Time } from "../ui/basics.tsx";
import { Paged } from "../ui/paged.tsx";
import { Table, type Total } from "../ui/table.tsx";

type Plan = RowOf<"/admin/plans">;

type Chosen = Plan["filter"] & NonNullable<Plan["jobs"]>;

const verbs: Readonly<Record<Plan["action"], readonly [now: string, done: string]>> = {
  replay: ["Replay", "Replayed"],
  discard: ["Discard", "Discarded"],
  retry: ["Retry", "Run again"],
  cancel: ["Cancel", "Cancelled"],
};

const nounOf = ({ jobs }: Pick<Plan, "jobs">): "job" | "event" => (jobs === null ? "event" : "job");

const wordsOf: Readonly<Record<Exclude<keyof Chosen, "state">, (value: string) => string>> = {
  provider: (value) => `of ${value}`,
  type: (value) => `of the type ${value}`,
  handler: (value) => `of the handler ${value}`,
  queue: (value) => `in the queue ${value}`,
  cause: (value) => `with the cause ${value}`,
  received_since: (value) => `received since ${moment(value)}`,
  received_before: (value) => `received before ${moment(value)}`,
  created_since: (value) => `stored since ${moment(value)}`,
  created_before: (value) => `stored before ${moment(value)}`,
  text: (value) => `that contain “${value}”`,
};

/** A plan is about nothing that came after it was made, unless it says so. */
const isWhenMade = ({ created_at: made }: Plan, value: string): boolean =>
  Math.abs(Date.parse(value) - Date.parse(made)) <= 1;

/** Which events or jobs a plan is about, in words. */
const aboutOf = (plan: Plan, cause?: string): string => {
  const { state, ...chosen } = plan.jobs ?? plan.filter;
  const words = Object.entries(chosen).flatMap(([name, value]) => {
    if (value === null || isWhenMade(plan, value)) return [];
    return [
      name === "cause" && cause !== undefined
        ? `with the cause “${cause}”`
        : wordsOf[name as keyof typeof wordsOf](value),
    ];
  });
  return [verbs[plan.action][0], state ?? "", `${nounOf(plan)}s`, ...words].filter(Boolean).join(" ");
};

/** Who made a plan: a user by the name, an operator of the machine as they are called. */
const makerOf = ({ made_by: maker }: Plan): string => maker?.name ?? maker?.id ?? "somebody";

/** How a plan ended, in a sentence; empty while it has not. */
const endOf = ({ action, state, report }: Plan): string => {
  if (state !== "done" && state !== "cancelled") return "";
  const left = report.skipped.reduce((sum, one) => sum + one.events, 0);
  const done = `${count(report.done)} ${{ discard: "were discarded", cancel: "were cancelled" }[action as string] ?? "run again"}`;
  const others = [
    ...(left === 0 ? [] : [`${count(left)} were left out`]),
    ...(report.failed === 0 ? [] : [`${count(report.failed)} failed`]),
  ];
  return `It ${state === "done" ? "has ended" : "was cancelled"}: ${[done, ...others].join(", ")}.`;
};

const shareOf = ({ report, dry_run, state }: Plan): number =>
  state === "done" ? 1 : dry_run.matched === 0 ? 0 : Math.min(1, report.looked_at / dry_run.matched);

const Progress = ({ plan }: { readonly plan: Plan }) => (
  <progress max={1} value={shareOf(plan)} aria-label="Progress">
    {percent(shareOf(plan))}
  </progress>
);

export const Plans = () => {
  return (
    <>
      <PageHead
        title="Plans"
        lead="What is to happen to many events or jobs: counted first, then run at a rate you can stop."
      />
      <Paged path={api("/admin/plans", { limit: 50 })} everyMs={5_000}>
        {(rows, _refresh, total) => <PlanTable rows={rows} total={total} />}
      </Paged>
    </>
  );
};

const PlanTable = ({ rows, total }: { readonly rows: readonly Plan[] | undefined; readonly total: Total }) => (
  <Table
    caption="Plans"
    noun="plan"
    rows={rows}
    total={total}
    keyOf={({ id }) => id}
    hrefOf={({ id }) => href(`/plans/${id}`)}
    empty={
      <Empty title="There is no plan yet.">
        <p>
          Make one from a <a href={href("/causes")}>cause</a> of failures, from the{" "}
          <a href={href("/events", { state: "dead" })}>dead events</a>, or from the{" "}
          <a href={href("/jobs", { state: "dead" })}>dead jobs</a>.
        </p>
      </Empty>
    }
    columns={[
      { head: "Plan", cell: (plan) => aboutOf(plan), isLong: true },
      { head: "State", cell: ({ state }) => <Tag state={state} /> },
      { head: "Progress", cell: (plan) => <Progress plan={plan} />, isMinor: true },
      { head: "Done", cell: ({ report }) => count(report.done), isNumber: true },
      { head: "By", cell: (plan) => makerOf(plan), isMinor: true },
      { head: "Made", cell: ({ created_at }) => <Time at={created_at} />, isNumber: true, isMinor: true },
    ]}
  />
);

export const PlanPage = ({ id }: { readonly id: string }) => {
  const { data: plan, fault, refresh } = useLive(api("/admin/plans/{id}", { id }), 1_000);
  const act = (step: "run" | "pause" | "resume" | "cancel", said: string) => async (): Promise<void> => {
    await call("POST", api(`/admin/plans/{id}/${step}`, { id }));
    notify(said);
    refresh();
  };
  const causeId = plan?.filter.cause ?? plan?.jobs?.cause;
  const causes = useLive(causeId == null ? undefined : api("/admin/causes", { limit: 100 }));
  if (plan === undefined) return <NotRead fault={fault} back={[href("/plans"), "Plans"]} />;
  const cause = causes.data?.data.find(({ id: one }) => one === causeId)?.message;
  const { state, dry_run: dry, report, per_second: rate } = plan;
  const left = Math.max(0, dry.done - report.done);
  return (
    <>
      <PageHead
        title={aboutOf(plan, cause)}
        back={[href("/plans"), "Plans"]}
        lead={
          <>
            <Tag state={state} /> · made by {makerOf(plan)}, <Time at={plan.created_at} /> · {count(rate)} each second
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
      {endOf(plan) === "" ? null : (
        <p class={report.failed > 0 ? "notice bad" : "notice"} role="status">
          {endOf(plan)}
        </p>
      )}
      {state === "planned" ? null : (
        <section>
          <Progress plan={plan} />
          <dl class="pairs">
            <dt>{verbs[plan.action][1]}</dt>
            <dd>{count(report.done)}</dd>
            {plan.action === "replay" ? (
              <>
                <dt>Jobs made</dt>
                <dd>{count(report.jobs)}</dd>
              </>
            ) : null}
            {plan.jobs === null ? (
              <>
                <dt>Could not be decided</dt>
                <dd>{count(report.failed)}</dd>
              </>
            ) : null}
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
          <dt>{plan.jobs === null ? "Events" : "Jobs"} that match</dt>
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
              <dt>Wait for another job of their order key</dt>
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
