import type { Lease } from "../ports/job.ts";

/**
 * Names a claim, not a job: a run that has lost its lease, or whose end was written without an answer, may still be
 * here when this process claims the same job again.
 */
export const keyOfLease = ({ id, lease }: Lease): string => `${id}/${lease}`;
