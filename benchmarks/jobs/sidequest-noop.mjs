import { Job } from "@sidequest/core";

/** Called with a job's number when its handler begins. Sidequest finds a job's class by the file it stands in, and loads that. */
export const noop = { began: () => undefined };

export class Noop extends Job {
  async run(job) {
    noop.began(job);
  }
}
