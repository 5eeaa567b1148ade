import { ownPrefix } from "@postern/jobs/internal";

interface ChosenJobs {
  readonly handler?: string;
  readonly queue?: string;
  readonly state?: string;
}

/** The page of the console that lists these jobs. */
export const pageOfJobs = ({ handler, queue, state }: ChosenJobs): string => {
  const chosen = Object.entries({
    state,
    queue,
    handler,
    // The list leaves out Postern's own work unless it is asked for.
    upkeep: handler?.startsWith(ownPrefix) === true ? "true" : undefined,
  });
  const query = chosen.flatMap(([name, value]) => (value === undefined ? [] : `${name}=${encodeURIComponent(value)}`));
  return `/jobs?${query.join("&")}`;
};
