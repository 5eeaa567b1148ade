import { eventActions } from "@postern/core/internal";
import { type Command, Option } from "commander";
import { momentOf } from "../moment.ts";

/** The values of the options that say which events are replayed or discarded. */
export interface MatchingOptions {
  readonly state?: string | undefined;
  readonly provider?: string | undefined;
  readonly type?: string | undefined;
  readonly cause?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Adds the options that say which events are replayed or discarded. */
export const withMatching = (command: Command, states: readonly string[] = eventActions.replay): Command =>
  command
    .addOption(new Option("--state <state>", "all in this state").choices(states))
    .option("--provider <name>", "of these, only this sender's")
    .option("--type <type>", "of these, only this type; * stands for any run of characters")
    .option("--cause <id>", "of these, only those whose latest failure has this cause: an id of postern causes")
    .option("--since <time>", "received since then: 30m, 24h, 7d or an RFC 3339 time")
    .option("--until <time>", "received before then (default: now)");

/** The same as the API takes it. */
export const matchingOf = ({ state, provider, type, cause, since, until }: MatchingOptions) => ({
  ...(state === undefined ? {} : { state }),
  ...(provider === undefined ? {} : { provider }),
  ...(type === undefined ? {} : { type }),
  ...(cause === undefined ? {} : { cause }),
  ...(since === undefined ? {} : { received_since: momentOf("--since", since) }),
  ...(until === undefined ? {} : { received_before: momentOf("--until", until) }),
});
