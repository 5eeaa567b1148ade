import type { Correction } from "@postern/rest";

/** What live versions gained on one day: an operation, a member of a resource, or parts of an operation. */
export interface Addition {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly versions: Correction["versions"];
  /** `GET /admin/events` or `user.verified_email`. */
  readonly name: string;
  /** The operation's id; absent for a member of a resource. */
  readonly operation?: string;
  /** What it does, or is. Absent for parts. */
  readonly text?: string;
  /** The parts that an operation gained: parameters, members, answers. */
  readonly parts?: readonly string[];
}
