import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Answer, api, type RowOf } from "../address.ts";
import { call, useLive } from "../api.ts";
import { count, counted, fineClock, moment, span, visible } from "../format.ts";
import { href } from "../router.ts";
import { may } from "../session.ts";
import { AskingButton, Question } from "../ui/asking.tsx";
import { Button, Dialog, DialogWithForm, Field, NotRead, notify, PageHead, Tag, Time } from "../ui/basics.tsx";
import { ReplayOutcome } from "../ui/outcome.tsx";
import { makePlan } from "./causes.tsx";
import { Notes } from "./notes.tsx";
import { Payload } from "./payload.tsx";
import { EventTrace } from "./trace.tsx";

type Event = Answer<"/admin/events/{id}">;
type Job = Answer<"/admin/jobs/{id}">;
type Cause = RowOf<"/admin/causes">;

interface Moment {
  readonly at: string;
  readonly tone: "good" | "bad" | "warn" | "live" | "plain";
  readonly title: ComponentChildren;
  readonly more?: ComponentChildren;
}

/** Everything that has happened to an event, oldest first. */
const momentsOf = (event: Event, jobs: readonly Job[]): readonly Moment[] => {
  const moments: Moment[] = [
    {
      at: event.received_at,
      tone: "good",
      title: "Received, verified and stored",
      more: event.repeats === 0 ? undefined : `The sender delivered it ${counted(event.repeats, "more time")}.`,
    },
  ];
  for (const job of event.jobs) {
    const failures = jobs.find(({ id }) => id === job.id)?.failures ?? [];
    const handler = <code>{job.handler}</code>;
    if (job.replay_of !== null) moments.push({ at: job.created_at, tone: "plain", title: <>Replayed for {handler}</> });
    for (const { attempt, at, error, after_commit: isAfter, log } of failures) {
      moments.push({
        at,
        tone: "bad",
        title: (
          <>
            {handler} failed{isAfter ? " after its commit" : ""}, attempt {attempt} of {job.max_attempts}
          </>
        ),
        more: (
          <>
            <ErrorText text={error} />
            <LoggedLines lines={log} />
          </>
        ),
      });
    }
    if (failures.length === 0 && job.last_error !== null && job.started_at !== null) {
      moments.push({
        at: job.started_at,
        tone: "bad",
        title: (
          <>
            {handler} failed, attempt {job.attempt} of {job.max_attempts}
          </>
        ),
        more: <ErrorText text={job.last_error} />,
      });
    }
    if (job.state === "done" && job.finished_at !== null) {
      const took = Date.parse(job.finished_at) - Date.parse(job.started_at ?? job.finished_at);
      moments.push({
        at: job.finished_at,
        tone: "good",
        title: (
          <>
            {handler} is done, attempt {job.attempt}
          </>
        ),
        more: `It took ${span(took)}.`,
      });
    } else if (job.state === "dead" || job.state === "cancelled") {
      moments.push({
        at: job.finished_at ?? event.received_at,
        tone: job.state === "dead" ? "bad" : "plain",
        title: job.state === "dead" ? <>{handler} was given up</> : <>{handler} was cancelled</>,
      });
    } else if (job.due_at !== null && job.state === "scheduled") {
      moments.push({ at: job.due_at, tone: "live", title: <>{handler} is tried again</> });
    } else if (job.state === "running" && job.started_at !== null) {
      moments.push({ at: job.started_at, tone: "live", title: <>{handler} runs</> });
    }
  }
  for (const forward of event.forwards) {
    moments.push({
      at: forward.at,
      tone: forward.status !== null && forward.status < 300 ? "good" : "bad",
      title: (
        <>
          The target of <code>{forward.handler}</code> answered {forward.status ?? "nothing"} in {span(forward.ms)}
        </>
      ),
      more: forward.error ?? (forward.body === "" ? undefined : <ErrorText text={forward.body} />),
    });
  }
  return moments.toSorted((left, right) => left.at.localeCompare(right.at));
};

/** The first line of an error; its stack on demand. */
const ErrorText = ({ text }: { readonly text: string }) => {
  const [line = "", ...rest] = visible(text).split("\n");
  if (rest.length === 0) return <span>{line}</span>;
  return (
    <details class="stack">
      <summary>{line}</summary>
      <pre>{rest.join("\n")}</pre>
    </details>
  );
};

/** What a handler logged in an attempt that failed, on demand. */
const LoggedLines = ({ lines }: { readonly lines: Job["failures"][number]["log"] }) => {
  if (lines.length === 0) return null;
  const texts = lines.map(({ at, level, message, fields }) => {
    const about = Object.entries(fields).map(([name, value]) => ` ${name}=${String(value)}`);
    return visible(`${fineClock(at)} ${level} ${message}${about.join("")}`);
  });
  return (
    <details class="stack">
      <summary>{counted(lines.length, "line")} logged</summary>
      <pre>{texts.join("\n")}</pre>
    </details>
  );
};

const Timeline = ({ moments }: { readonly moments: readonly Moment[] }) => (
  <ol class="timeline">
    {moments.map(({ at, tone, title, more }, index) => (
      <li key={index} class={tone}>
        <time dateTime={at} title={at}>
          {moment(at)}
        </time>
        <div>
          <p>{title}</p>
          {more === undefined ? null : <div class="soft">{more}</div>}
        </div>
      </li>
    ))}
  </ol>
);

/** The jobs with every failure of each. */
const useJobs = (event: Event | undefined): readonly Job[] => {
  const [jobs, setJobs] = useState<readonly Job[]>([]);
  const key = event?.jobs.map(({ id, state, attempt }) => `${id} ${state} ${attempt}`).join();
  useEffect(() => {
    const failed = (event?.jobs ?? []).filter((job) => job.last_error !== null).slice(0, 10);
    void Promise.all(failed.map(({ id }) => call("GET", api("/admin/jobs/{id}", { id })))).then(
      setJobs,
      () => undefined,
    );
  }, [key]);
  return jobs;
};

/** The cause that the last failure of an event has in common with others. */
const useCause = (event: Event | undefined): Cause | undefined => {
  const [cause, setCause] = useState<Cause | undefined>();
  const failed = event?.jobs.find((job) => job.last_error !== null && job.state !== "done");
  const key = failed === undefined ? "" : `${event?.id} ${failed.id} ${failed.attempt}`;
  useEffect(() => {
    setCause(undefined);
    if (failed === undefined || event === undefined) return;
    const find = async (): Promise<void> => {
      const { data } = await call("GET", api("/admin/causes", { limit: 100 }));
      for (const one of data.filter(({ handler }) => handler === failed.handler)) {
        const query = { "filter[event_id]": event.id, "filter[cause]": one.id, limit: 1, fields: ["id"] } as const;
        const found = await call("GET", api("/admin/jobs", query));
        if (found.data.length > 0) return setCause(one);
      }
    };
    void find().catch(() => undefined);
  }, [key]);
  return cause;
};

const headerTitle = (name: string): string => name.replace(/(^|-)[a-z]/g, (part) => part.toUpperCase());

const Discard = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const [reason, setReason] = useState("");
  return (
    <Dialog title={`Discard event ${id}`} onClose={onClose}>
      <p>
        <Question method="POST" at={api("/admin/events/{id}/discard", { id })} /> The audit log keeps the reason.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void call("POST", api("/admin/events/{id}/discard", { id }), { reason }).then(
            () => {
              notify("The event is discarded.");
              onClose();
            },
            (thrown: Error) => notify(thrown.message, "bad"),
          );
        }}
      >
        <Field label="Reason" value={reason} onInput={setReason} required maxLength={200} />
        <div class="actions">
          <Button type="submit" kind="danger">
            Discard
          </Button>
          <Button onPress={onClose}>Keep it</Button>
        </div>
      </form>
    </Dialog>
  );
};

/** Asks why an event runs that is not as its sender promises; its type only if the sender gave none. */
const Overrule = ({ event, onReplay, onClose }: Pick<ActionsProps, "event" | "onReplay"> & { onClose: () => void }) => {
  const [reason, setReason] = useState("");
  const [type, setType] = useState("");
  return (
    <DialogWithForm
      title={`Run event ${event.id} anyway?`}
      verb="Run it anyway"
      elseVerb="Leave it"
      onClose={onClose}
      send={async () => {
        const asType = type === "" ? {} : { as_type: type };
        const body = { overrule: true, reason, ...asType };
        const { jobs } = await call("POST", api("/admin/events/{id}/replay", { id: event.id }), body);
        notify(`${counted(jobs, "job")} ${jobs === 1 ? "runs" : "run"}.`);
        onReplay();
        onClose();
      }}
    >
      <p>
        It was quarantined: {visible(event.reason ?? "")}. Its handlers get it with your reason, at the end of its order
        key. Bounds and schemas of handlers stay.
      </p>
      <Field label="Reason" value={reason} onInput={setReason} required maxLength={500} />
      {event.type === null ? (
        <Field
          label="Type"
          hint="Its sender gave none. Handlers of this type get it."
          value={type}
          onInput={setType}
          maxLength={128}
        />
      ) : null}
    </DialogWithForm>
  );
};

/** Whether the sender's proof covers a kept header: by its name, or as the signed id or type. */
const isSigned = ({ covered, event_id: id, type }: Event, name: string, value: string): boolean =>
  covered.includes(`header:${name}`) ||
  (covered.includes("id") && value === id) ||
  (covered.includes("type") && value === type);

const NotSigned = () => <span class="soft">not signed</span>;

/** What the sender said outside of the body, as far as it is kept. */
const OutsideBody = ({ event }: { readonly event: Event }) => (
  <section>
    <h2>{event.query === null ? "Headers" : "Headers and query"}</h2>
    <dl class="pairs headers">
      {Object.entries(event.headers).map(([name, value]) => (
        <>
          <dt>{headerTitle(name)}</dt>
          <dd>
            <span class="code-like">{visible(value)}</span> {isSigned(event, name, value) ? null : <NotSigned />}
          </dd>
        </>
      ))}
      {event.query === null ? null : (
        <>
          <dt>Query</dt>
          <dd>
            <span class="code-like">{visible(event.query)}</span> {event.covered.includes("url") ? null : <NotSigned />}
          </dd>
        </>
      )}
      {event.left_out.length === 0 ? null : (
        <>
          <dt>Too long, left out</dt>
          <dd class="code-like">{visible(event.left_out.join(", "))}</dd>
        </>
      )}
    </dl>
  </section>
);

interface ActionsProps {
  readonly event: Event;
  readonly cause: Cause | undefined;
  readonly refresh: () => void;
  /** Called when the event runs again. */
  readonly onReplay: () => void;
}

const Actions = ({ event, cause, refresh, onReplay }: ActionsProps) => {
  const [discards, setDiscards] = useState(false);
  const [overrules, setOverrules] = useState(false);
  const canReplay = event.actions.includes("admin.events.replay");
  const path = api("/admin/events/{id}/replay", { id: event.id });
  const replay = (body: { readonly force?: boolean }) => async (): Promise<void> => {
    const { jobs } = await call("POST", path, body);
    notify(`${counted(jobs, "job")} ${jobs === 1 ? "runs" : "run"} again.`);
    onReplay();
    refresh();
  };
  return (
    <>
      {canReplay ? (
        event.state === "processed" ? (
          <AskingButton method="POST" at={path} send={replay({ force: true })}>
            Run again
          </AskingButton>
        ) : (
          <Button kind="main" onPress={replay({})}>
            Replay
          </Button>
        )
      ) : null}
      {event.state === "dead" && cause !== undefined && may("events:replay") ? (
        <Button onPress={() => makePlan({ action: "replay", filter: { cause: cause.id, state: "dead" } })}>
          Replay all with this cause
        </Button>
      ) : null}
      {event.state === "quarantined" && canReplay ? (
        <Button onPress={() => setOverrules(true)}>Run it anyway…</Button>
      ) : null}
      {overrules ? (
        <Overrule
          event={event}
          onReplay={onReplay}
          onClose={() => {
            setOverrules(false);
            refresh();
          }}
        />
      ) : null}
      {event.actions.includes("admin.events.discard") ? (
        <Button onPress={() => setDiscards(true)}>Discard</Button>
      ) : null}
      {discards ? (
        <Discard
          id={event.id}
          onClose={() => {
            setDiscards(false);
            refresh();
          }}
        />
      ) : null}
    </>
  );
};

export const EventPage = ({ id }: { readonly id: string }) => {
  /** The jobs that the event had before somebody ran it again on this page. */
  const [jobsBefore, setJobsBefore] = useState<readonly string[] | undefined>();
  const everyMs = jobsBefore === undefined ? 5_000 : 1_000;
  const { data: event, fault, refresh } = useLive(api("/admin/events/{id}", { id }), everyMs);
  const jobs = useJobs(event);
  const cause = useCause(event);
  if (event === undefined) return <NotRead fault={fault} back={[href("/events"), "Events"]} />;
  const keys = [...new Set(event.jobs.flatMap((job) => (job.order_key === null ? [] : [job.order_key])))];
  return (
    <>
      <PageHead
        title={event.type ?? `Event ${event.id}`}
        back={[href("/events"), "Events"]}
        lead={
          <>
            <Tag state={event.state} /> · event {event.id} of{" "}
            <a href={href("/events", { provider: event.provider })}>{event.provider}</a> ·{" "}
            <Time at={event.received_at} />
          </>
        }
        actions={
          <Actions
            event={event}
            cause={cause}
            refresh={refresh}
            onReplay={() => setJobsBefore(event.jobs.map((job) => job.id))}
          />
        }
      />
      {jobsBefore === undefined ? null : <ReplayOutcome event={event} jobs={jobsBefore} />}
      {event.reason === null ? null : (
        <p class={`notice ${event.state === "dead" ? "bad" : ""}`}>{visible(event.reason)}</p>
      )}
      {event.overruled === null ? null : <p class="notice">It was quarantined: {visible(event.overruled)}</p>}
      {cause === undefined ? null : (
        <p>
          Cause: <a href={href(`/causes/${cause.id}`)}>{visible(cause.message)}</a>{" "}
          <span class="soft">{counted(cause.failures, "failure")}</span>
        </p>
      )}
      <div class="halves">
        <div>
          <section>
            <h2>Timeline</h2>
            <Timeline moments={momentsOf(event, jobs)} />
          </section>
          <section>
            <h2>About it</h2>
            <dl class="pairs">
              <dt>Sender's id</dt>
              <dd class="code-like">{event.event_id ?? "–"}</dd>
              <dt>Sender's time</dt>
              <dd>
                <Time at={event.occurred_at} whole />
              </dd>
              <dt>Received</dt>
              <dd>
                <Time at={event.received_at} whole />
              </dd>
              {keys.map((key) => (
                <>
                  <dt>Order key</dt>
                  <dd class="code-like">{visible(key)}</dd>
                </>
              ))}
              {event.metadata.api_version === null ? null : (
                <>
                  <dt>Sender's API version</dt>
                  <dd>{event.metadata.api_version}</dd>
                </>
              )}
            </dl>
          </section>
          <Notes event={event} refresh={refresh} />
          <EventTrace id={event.id} />
          {event.jobs
            .filter((job) => job.order_key !== null)
            .slice(0, 3)
            .map((job) => (
              <InLine key={job.id} job={job} />
            ))}
          <Neighbours event={event} />
        </div>
        <div>
          <section>
            <h2>Payload</h2>
            <Payload key={event.id} event={event} />
          </section>
          {event.masked ? null : <OutsideBody event={event} />}
        </div>
      </div>
    </>
  );
};

/** The events of the same sender and type before and after it. */
const Neighbours = ({ event }: { readonly event: Event }) => {
  const shared = { "filter[provider]": event.provider, "filter[type]": event.type ?? "", limit: 3 };
  const before = useLive(
    api("/admin/events", { ...shared, "filter[received_at][lt]": event.received_at, sort: "-id" }),
  );
  const after = useLive(
    api("/admin/events", { ...shared, limit: 4, "filter[received_at][gte]": event.received_at, sort: "id" }),
  );
  const rows = [
    ...(after.data?.data ?? []).filter(({ id }) => id !== event.id).toReversed(),
    ...(before.data?.data ?? []),
  ];
  const shown = rows.map(({ id, state, received_at: at }) => ({ key: id, event: id, state, at }));
  return <Nearby title="Similar events" rows={shown} since={event.received_at} />;
};

interface NearbyRow {
  readonly key: string;
  readonly event: string | null;
  readonly state: string;
  readonly at: string;
}

/** Events around this one, newest first, with how much later or earlier each came. */
const Nearby = ({ title, rows, since }: { title: string; rows: readonly NearbyRow[]; since: string }) => {
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>
        {title} <span class="soft">{count(rows.length)}</span>
      </h2>
      <ul class="neighbours">
        {rows.map(({ key, event, state, at }) => {
          const ms = Date.parse(at) - Date.parse(since);
          return (
            <li key={key}>
              {event === null ? <span>job {key}</span> : <a href={href(`/events/${event}`)}>{event}</a>}{" "}
              <Tag state={state} />
              <span class="soft number">
                {ms < 0 ? "earlier" : "later"} by {span(Math.abs(ms))}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
};

/** The jobs that one of its jobs waits for, and those that wait for it. */
const InLine = ({ job }: { readonly job: Event["jobs"][number] }) => {
  const { data } = useLive(api("/admin/jobs/{id}/neighbours", { id: job.id }));
  const rows = [...(data?.after ?? []).toReversed(), ...(data?.before ?? [])].map(
    ({ id, event_id: event, state, created_at: at }) => ({ key: id, event, state, at }),
  );
  return <Nearby title={`Of the order key ${visible(job.order_key ?? "")}`} rows={rows} since={job.created_at} />;
};
