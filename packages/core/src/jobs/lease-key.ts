import type { Lease } from "../ports/job.ts";

/**
 * Names a claim, not a job. A run that has lost its lease, or whose end was written without an
 * answer, may still be under way when this process claims the same job again.
 */
export const keyOfLease = ({ id, lease }: Lease): string => `${id}/${lease}`;
