import { AppError } from "@postern/core";
import type { Mailer } from "@postern/core/ports";

/** Sends mails through a mail service that takes them as JSON. */
export const httpMailer = ({
  url,
  token,
  from,
}: {
  readonly url: string;
  readonly token: string;
  readonly from: string;
}): Mailer => ({
  target: "server",
  send: async ({ to, subject, text, id }) => {
    if (/[\r\n]/.test(to + subject)) throw new TypeError("an address and a subject have one line");
    const answer = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ from, to, subject, text, message_id: id }),
      signal: AbortSignal.timeout(10_000),
    }).catch((cause: unknown) => {
      throw new AppError("upstream_unreachable", { cause });
    });
    if (answer.ok) return "taken";
    // The service says that there is no such mailbox. Everything else is tried again.
    if (answer.status === 422) return "refused";
    throw new AppError("upstream_unreachable", { detail: `the mail service answered ${answer.status}` });
  },
});
