import type { NewJob } from "@postern/core";
import type { MailJobs } from "@postern/core/internal";
import type { HandlerContext } from "./handler-context.ts";

/** The commit of a run as its mails see it. */
interface Commit {
  readonly run: HandlerContext["commit"];
  /** Whether the job has not ended yet. */
  readonly isOpen: () => boolean;
}

/**
 * The mails of one run. They wait for its end: they are stored by its commit, or else by one of their
 * own when the handler has returned.
 */
export const createRunMails = (
  { run, isOpen }: Commit,
  mailJobs: MailJobs,
): Pick<HandlerContext, "mail" | "commit"> & { readonly end: () => Promise<void> } => {
  const waiting: NewJob[] = [];
  return {
    mail: async (mail) => {
      if (!isOpen()) throw new TypeError("mail came after the commit: call it before, or use tx.mail in the commit");
      waiting.push(...(await mailJobs(mail)));
    },
    commit: (work) =>
      run(async (rows, tx) => {
        const result = await work(rows, tx);
        if (waiting.length > 0) await tx.enqueue(...waiting);
        return result;
      }),
    end: async () => {
      if (waiting.length > 0 && isOpen()) await run(async (_rows, tx) => void (await tx.enqueue(...waiting)));
    },
  };
};
