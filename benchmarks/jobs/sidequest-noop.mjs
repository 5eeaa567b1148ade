import { Job } from "@sidequest/core";

/**
 * Called with a job's number when its handler begins. Sidequest finds the class of a job by its
 * file, and loads that.
 */
export const noop = { began: () => undefined };

export class Noop extends Job {
  async run(job) {
    noop.began(job);
  }
}
