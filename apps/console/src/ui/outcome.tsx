import type { ComponentChildren } from "preact";
import { type Answer, api } from "../address.ts";
import { useLive } from "../api.ts";
import { span } from "../format.ts";
import { href } from "../router.ts";

type Job = Answer<"/admin/jobs/{id}">;
type Event = Answer<"/admin/events/{id}">;

const everyMs = 1_000;

const firstLine = (text: string | null): string => (text ?? "").split("\n", 1)[0] ?? "";

/** How something ended that somebody has started on this page, or that it goes on. */
const Told = ({ isBad, children }: { readonly isBad: boolean; readonly children: ComponentChildren }) => (
  <p class={isBad ? "notice bad" : "notice"} role="status">
    {children}
  </p>
);

const wordsOfJob = ({
  state,
  last_error: error,
  started_at: started,
  finished_at: finished,
  cancel_at: asked,
}: Job) => {
  if (state === "done") return `is done, in ${span(Date.parse(finished ?? "") - Date.parse(started ?? ""))}`;
  if (state === "dead") return `failed and was given up: ${firstLine(error)}`;
  if (state === "cancelled") return "is cancelled";
  if (state === "scheduled")
    return error === null ? "waits for its time" : `failed, and is tried again: ${firstLine(error)}`;
  if (state === "blocked") return "waits for others of its order key";
  if (state === "running") return asked === null ? "runs" : "is told to stop";
  return "waits for a free worker";
};

const jobEnds: ReadonlySet<string> = new Set(["done", "dead", "cancelled"]);

/** How a job ended, or what it does. */
export const JobOutcome = ({ id }: { readonly id: string }) => {
  const { data: job } = useLive(api("/admin/jobs/{id}", { id }), everyMs);
  if (job === undefined) return null;
  const hasFailed = job.state === "dead" || (job.state === "scheduled" && job.last_error !== null);
  return (
    <Told isBad={hasFailed}>
      <a href={href(`/jobs/${id}`)}>Job {id}</a> of <code>{job.handler}</code> {wordsOfJob(job)}
      {jobEnds.has(job.state) ? "." : "…"}
    </Told>
  );
};

const wordsOfEvent: Readonly<Partial<Record<Event["state"], string>>> = {
  processed: "It ran again, and is processed.",
  received: "It waits to run again…",
  processing: "It runs again…",
  discarded: "It is discarded.",
  cancelled: "It was to run again, and was cancelled.",
};

/** How the replay of an event ended, or what it does. `jobs` are those that it had before. */
export const ReplayOutcome = ({ event, jobs }: { readonly event: Event; readonly jobs: readonly string[] }) => {
  // Until the page has read the event again, its state is that from before.
  if (event.jobs.every(({ id }) => jobs.includes(id))) return <Told isBad={false}>It waits to run again…</Told>;
  if (event.state === "dead" || event.state === "retrying") {
    const again = event.state === "retrying" ? ", and is tried again" : "";
    return (
      <Told isBad>
        It failed again{again}: {firstLine(event.reason)}
      </Told>
    );
  }
  return <Told isBad={false}>{wordsOfEvent[event.state] ?? `It is ${event.state}.`}</Told>;
};
