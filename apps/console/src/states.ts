import type { Answer, RowOf } from "./address.ts";

type Tone = "good" | "bad" | "warn" | "live" | "plain";
type Tones<State extends string> = Readonly<Record<State, Tone>>;

/** Every state of an event, in the order in which a person looks for them. */
export const eventTones: Tones<RowOf<"/admin/events">["state"]> = {
  received: "live",
  processing: "live",
  retrying: "warn",
  processed: "good",
  dead: "bad",
  quarantined: "warn",
  ignored: "plain",
  cancelled: "plain",
  discarded: "plain",
};

/** Every state of a job. */
export const jobTones: Tones<RowOf<"/admin/jobs">["state"]> = {
  ready: "live",
  scheduled: "plain",
  running: "live",
  blocked: "warn",
  done: "good",
  dead: "bad",
  cancelled: "plain",
};

const planTones: Tones<RowOf<"/admin/plans">["state"]> = {
  planned: "plain",
  running: "live",
  paused: "warn",
  done: "good",
  cancelled: "plain",
};

const keyTones: Tones<RowOf<"/admin/providers">["keys"][number]["state"]> = {
  waiting: "plain",
  good: "good",
  ended: "plain",
};

const versionTones: Tones<RowOf<"/admin/deprecations">["state"]> = {
  announced: "plain",
  deprecated: "warn",
  sunset: "bad",
};

const healthTones: Tones<Answer<"/admin/health">["level"]> = { ok: "good", attention: "warn", stopped: "bad" };

const toneByState: Readonly<Record<string, Tone>> = {
  ...eventTones,
  ...jobTones,
  ...planTones,
  ...keyTones,
  ...versionTones,
  ...healthTones,
  active: "good",
};

/** The colour that repeats what a state says. */
export const toneOf = (state: string): Tone => toneByState[state] ?? "plain";
