import type { NewJob, NewMail, Ports } from "@postern/core";
import { receiversOf } from "@postern/core/internal";
import { defineJob, type JobHandler, newJob, Permanent } from "@postern/jobs";
import { mailQueue } from "../account/account-mail.ts";

/** Mails that the application's own code sends. */
export interface OwnMail {
  readonly jobs: readonly JobHandler<{ sealed: string }>[];
  /**
   * The jobs that send a mail, one for each address.
   * @throws TypeError for a mail that cannot be sent, and on a server that sends none.
   */
  jobsFor(mail: NewMail): Promise<readonly NewJob[]>;
}

const context = "own-mail";
const minute = 60_000;
/** A payload is encrypted, because it contains addresses. That makes it longer. */
const longestPayload = 1024 * 1024;

export const ownMail = ({ mailer, secretBox }: Pick<Ports, "mailer" | "secretBox">): OwnMail => {
  const active = mailer.target !== "none";
  const job = defineJob<{ sealed: string }>(
    "postern.mail",
    async ({ sealed }, { idempotencyKey }) => {
      const mail: { to: string; subject: string; text: string; html?: string } = JSON.parse(
        await secretBox.open(sealed, context),
      );
      if ((await mailer.send({ ...mail, id: idempotencyKey })) === "taken") return;
      throw new Permanent(
        "the mail server refused the mail for good: there is no such mailbox, or it takes no such mail",
      );
    },
    { ...(active ? { queue: mailQueue } : {}), timeoutMs: minute, onRetry: "yield", payloadBytes: longestPayload },
  );
  return {
    jobs: [job],
    jobsFor: async (mail) => {
      const receivers = receiversOf(mail);
      if (!active) {
        throw new TypeError(
          "mail: this server sends no mails; set POSTERN_SMTP_URL (`mail: { url, from }` of openPostern)",
        );
      }
      const { subject, text, html } = mail;
      const content = { subject, text, ...(html === undefined ? {} : { html }) };
      return Promise.all(
        receivers.map(async (to) =>
          newJob(job, { sealed: await secretBox.seal(JSON.stringify({ to, ...content }), context) }),
        ),
      );
    },
  };
};
