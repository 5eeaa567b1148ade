import { api, type RowOf } from "../address.ts";
import { call, useLive } from "../api.ts";
import { visible } from "../format.ts";
import { href, route } from "../router.ts";
import { jobTones } from "../states.ts";
import { AskingButton } from "../ui/asking.tsx";
import { Button, CodeBlock, Empty, Fault, notify, PageHead, Tag, Time } from "../ui/basics.tsx";
import { Paged } from "../ui/paged.tsx";
import { anyOr, QueryChoice, QueryText } from "../ui/query-fields.tsx";
import { Table } from "../ui/table.tsx";

/** The time that says most about a job in its state. */
const timeOf = ({ state, due_at, started_at, finished_at, created_at }: RowOf<"/admin/jobs">): string =>
  (state === "scheduled" ? due_at : state === "running" ? started_at : finished_at) ?? created_at;

export const Jobs = () => {
  const { query } = route.value;
  const state = query.get("state") ?? "";
  const path = api("/admin/jobs", {
    "filter[state]": state,
    "filter[queue]": query.get("queue"),
    "filter[handler]": query.get("handler"),
    "filter[upkeep]": query.get("upkeep") ?? "false",
    limit: 100,
  });
  return (
    <>
      <PageHead title="Jobs" lead="The work of handlers and schedules." />
      <search class="filters">
        <QueryChoice name="state" label="State" choices={anyOr("Any state", Object.keys(jobTones))} />
        <QueryChoice
          name="upkeep"
          label="Whose"
          choices={[
            ["", "Of the application"],
            ["true", "Postern's own"],
          ]}
        />
        <QueryText name="handler" label="Handler" />
      </search>
      <Paged path={path} everyMs={5_000}>
        {(rows) => (
          <Table
            caption="Jobs"
            rows={rows}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => href(`/jobs/${id}`)}
            empty={<Empty title={query.size === 0 ? "No job has been made yet." : "No job fits these filters."} />}
            columns={[
              { head: "Job", cell: ({ id }) => id, isNumber: true },
              { head: "Handler", cell: ({ handler }) => handler, isLong: true },
              { head: "Queue", cell: ({ queue }) => queue, isMinor: true },
              { head: "State", cell: (job) => <Tag state={job.state} /> },
              {
                head: "Attempt",
                cell: ({ attempt, max_attempts: most }) => `${attempt} of ${most}`,
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
  if (job === undefined) return <Fault fault={fault} />;
  const act = (step: "retry" | "cancel", said: string) => async (): Promise<void> => {
    await call("POST", api(`/admin/jobs/{id}/${step}`, { id }));
    notify(said);
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
            <Tag state={job.state} /> · job {job.id} · attempt {job.attempt} of {job.max_attempts}
          </>
        }
        actions={
          <>
            {job.actions.includes("admin.jobs.retry") ? (
              <Button kind="main" onPress={act("retry", "The job runs again.")}>
                Retry
              </Button>
            ) : null}
            {job.actions.includes("admin.jobs.cancel") ? (
              <AskingButton
                kind="danger"
                method="POST"
                at={api("/admin/jobs/{id}/cancel", { id })}
                send={act("cancel", "The job is cancelled, or will be at its next step.")}
              >
                Cancel
              </AskingButton>
            ) : null}
          </>
        }
      />
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
          <dt>Queue</dt>
          <dd>{job.queue}</dd>
          {job.order_key === null ? null : (
            <>
              <dt>Order key</dt>
              <dd class="code-like">{visible(job.order_key)}</dd>
            </>
          )}
          {times.flatMap(([name, at]) =>
            at === null
              ? []
              : [
                  <dt key={`${name}-dt`}>{name}</dt>,
                  <dd key={name}>
                    <Time at={at} whole />
                  </dd>,
                ],
          )}
          {job.losses === 0 ? null : (
            <>
              <dt>Processes that died with it</dt>
              <dd>{job.losses}</dd>
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
                Attempt {attempt}
                {isAfter ? ", after its commit" : ""}, <Time at={at} whole />
              </p>
              <CodeBlock text={visible(error)} />
            </div>
          ))}
        </section>
      )}
    </>
  );
};
