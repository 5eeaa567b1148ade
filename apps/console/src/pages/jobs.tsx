import { useState } from "preact/hooks";
import { api, type RowOf } from "../address.ts";
import { call, useLive } from "../api.ts";
import { count, since } from "../format.ts";
import { href, route } from "../router.ts";
import { may } from "../session.ts";
import { jobTones } from "../states.ts";
import { AskingButton } from "../ui/asking.tsx";
import { Button, CodeBlock, Empty, NotRead, PageHead, Tag, Time } from "../ui/basics.tsx";
import { JobOutcome } from "../ui/outcome.tsx";
import { Paged } from "../ui/paged.tsx";
import { anyOr, hourChoices, QueryChip, QueryChoice, QueryText } from "../ui/query-fields.tsx";
import { Table } from "../ui/table.tsx";
import { makePlan } from "./causes.tsx";

type Job = RowOf<"/admin/jobs">;

/** The time that says most about a job in its state. */
const timeOf = ({ state, due_at, started_at, finished_at, created_at }: Job): string =>
  (state === "scheduled" ? due_at : state === "running" ? started_at : finished_at) ?? created_at;

/** A name of which the end is cut, where it is long. */
const Short = ({ text }: { readonly text: string }) => (
  <span class="cut short" title={text}>
    {text}
  </span>
);

/** The first line of the last error. */
const errorOf = ({ last_error: error }: Job): string => error?.split("\n")[0] ?? "";

/** What a plan may do to the jobs of a state. */
const plansOf: Readonly<Record<string, readonly ("retry" | "cancel")[]>> = {
  dead: ["retry"],
  cancelled: ["retry"],
  scheduled: ["retry", "cancel"],
  ready: ["cancel"],
  blocked: ["cancel"],
  running: ["cancel"],
};

/** Plans for all jobs that the filters choose. A plan counts first, and changes nothing until it runs. */
const PlanButtons = ({ query }: { readonly query: ReadonlyMap<string, string> }) => {
  const { state = "", handler, queue, provider, cause, hours } = Object.fromEntries(query);
  const plan = (action: "retry" | "cancel") => (): Promise<void> => {
    const chosen = { state, handler, queue, provider, cause, created_since: since(hours) };
    return makePlan({ action, jobs: Object.fromEntries(Object.entries(chosen).filter(([, value]) => Boolean(value))) });
  };
  return (
    <>
      {(plansOf[state] ?? []).map((action) => (
        <Button key={action} kind={action === "retry" ? "main" : "plain"} onPress={plan(action)}>
          {
            {
              retry: state === "scheduled" ? "Plan to run these now" : "Plan a retry of these",
              cancel: "Plan to cancel these",
            }[action]
          }
        </Button>
      ))}
    </>
  );
};

export const Jobs = () => {
  const { query } = route.value;
  const senders = useLive(api("/admin/providers", { limit: 100 }));
  const names = senders.data?.data.map(({ name }) => name) ?? [];
  const isUpkeep = query.get("upkeep") === "true";
  const path = api("/admin/jobs", {
    "filter[state]": query.get("state"),
    "filter[queue]": query.get("queue"),
    "filter[handler]": query.get("handler"),
    "filter[provider]": query.get("provider"),
    "filter[cause]": query.get("cause"),
    "filter[created_at][gte]": since(query.get("hours")),
    "filter[upkeep]": isUpkeep ? "true" : "false",
    limit: 100,
  });
  return (
    <>
      <PageHead
        title="Jobs"
        lead="The work of handlers and schedules."
        actions={may("events:replay") && may("jobs:write") && !isUpkeep ? <PlanButtons query={query} /> : undefined}
      />
      <search class="filters">
        <QueryChoice name="state" label="State" choices={anyOr("Any state", Object.keys(jobTones))} />
        <QueryChoice name="provider" label="Sender" choices={anyOr("Any sender", names)} />
        <QueryChoice name="hours" label="Made" choices={hourChoices} />
        <QueryText name="handler" label="Handler" />
        <QueryText name="queue" label="Queue" maxLength={64} />
        <QueryChoice
          name="upkeep"
          label="Whose"
          choices={[
            ["", "Of the application"],
            ["true", "Postern's own"],
          ]}
        />
        <QueryChip name="cause" to="/causes" />
      </search>
      <Paged path={path} everyMs={5_000}>
        {(rows, _refresh, total) => (
          <Table
            caption="Jobs"
            noun="job"
            rows={rows}
            total={total}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => href(`/jobs/${id}`)}
            empty={<Empty title={query.size === 0 ? "No job has been made yet." : "No job fits these filters."} />}
            columns={[
              {
                head: "Job",
                cell: (job) => (
                  <>
                    {job.id}
                    <span class="only-narrow soft">{job.handler}</span>
                    <span class="only-narrow wrong">{errorOf(job)}</span>
                  </>
                ),
              },
              { head: "Sender", cell: ({ provider }) => provider ?? "–", isMinor: true },
              { head: "Handler", cell: ({ handler }) => <Short text={handler} />, isMinor: true },
              { head: "State", cell: (job) => <Tag state={job.state} /> },
              {
                head: "Last error",
                cell: (job) => <span class="soft">{errorOf(job)}</span>,
                isLong: true,
                isMinor: true,
              },
              { head: "Queue", cell: ({ queue }) => <Short text={queue} />, isMinor: true },
              {
                head: "Attempt",
                cell: ({ attempt, max_attempts: most }) => `${count(attempt)} of ${count(most)}`,
                isNumber: true,
                isMinor: true,
              },
              { head: "Time", cell: (job) => <Time at={timeOf(job)} />, isNumber: true },
            ]}
          />
        )}
      </Paged>
    </>
  );
};

export const JobPage = ({ id }: { readonly id: string }) => {
  const { data: job, fault, refresh } = useLive(api("/admin/jobs/{id}", { id }), 5_000);
  /** The job whose end is awaited: this one, or the one that has taken its place. */
  const [awaited, setAwaited] = useState<string | undefined>();
  if (job === undefined) return <NotRead fault={fault} back={[href("/jobs"), "Jobs"]} />;
  const act = (step: "retry" | "cancel") => async (): Promise<void> => {
    const { id: acting } = await call("POST", api(`/admin/jobs/{id}/${step}`, { id }));
    setAwaited(acting);
    refresh();
  };
  const times = [
    ["Made", job.created_at],
    ["Due", job.due_at],
    ["Started", job.started_at],
    ["Finished", job.finished_at],
  ] as const;
  return (
    <>
      <PageHead
        title={job.handler}
        back={[href("/jobs"), "Jobs"]}
        lead={
          <>
            <Tag state={job.state} /> · job {job.id} · attempt {count(job.attempt)} of {count(job.max_attempts)}
          </>
        }
        actions={
          <>
            {job.actions.includes("admin.jobs.retry") ? (
              <Button kind="main" onPress={act("retry")}>
                {job.state === "scheduled" ? "Run now" : "Retry"}
              </Button>
            ) : null}
            {job.actions.includes("admin.jobs.cancel") ? (
              <AskingButton
                kind="danger"
                method="POST"
                at={api("/admin/jobs/{id}/cancel", { id })}
                send={act("cancel")}
              >
                Cancel
              </AskingButton>
            ) : null}
          </>
        }
      />
      {awaited === undefined ? null : <JobOutcome id={awaited} />}
      <section>
        <dl class="pairs">
          {job.event_id === null ? null : (
            <>
              <dt>Event</dt>
              <dd>
                <a href={href(`/events/${job.event_id}`)}>{job.event_id}</a>
              </dd>
            </>
          )}
          {job.provider === null ? null : (
            <>
              <dt>Sender</dt>
              <dd>
                <a href={href(`/senders/${job.provider}`)}>{job.provider}</a>
              </dd>
            </>
          )}
          <dt>Queue</dt>
          <dd>{job.queue}</dd>
          {job.order_key === null ? null : (
            <>
              <dt>Order key</dt>
              <dd class="code-like">{job.order_key}</dd>
            </>
          )}
          {times.flatMap(([name, at]) =>
            at === null
              ? []
              : [
                  <dt key={`${name}-dt`}>{name}</dt>,
                  <dd key={name}>
                    <Time at={at} whole />
                    {name === "Started" && job.state === "running" ? (
                      <>
                        , <Time at={at} />
                      </>
                    ) : null}
                  </dd>,
                ],
          )}
          {job.losses === 0 ? null : (
            <>
              <dt>Processes that died with it</dt>
              <dd>{count(job.losses)}</dd>
            </>
          )}
        </dl>
      </section>
      {job.failures.length === 0 ? null : (
        <section>
          <h2>Failures</h2>
          {job.failures.toReversed().map(({ attempt, at, error, after_commit: isAfter }) => (
            <div key={`${attempt} ${at}`} class="failure">
              <p class="soft">
                Attempt {count(attempt)}
                {isAfter ? ", after its commit" : ""}, <Time at={at} whole />
              </p>
              <CodeBlock text={error} />
            </div>
          ))}
        </section>
      )}
    </>
  );
};
