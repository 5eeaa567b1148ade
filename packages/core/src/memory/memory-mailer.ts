import type { Mail, Mailer, MailTarget } from "../ports/mailer.ts";

export interface MemoryMailer extends Mailer {
  /** The newest 1,000 mails that were taken, oldest first. */
  readonly sent: readonly Mail[];
}

export interface MemoryMailerOptions {
  /** Default: `server`. */
  readonly target?: MailTarget;
  /** Addresses whose mails are refused. Default: none. */
  readonly refuses?: readonly string[];
}

const kept = 1_000;

/** Keeps mails instead of sending them. */
export const memoryMailer = ({ target = "server", refuses = [] }: MemoryMailerOptions = {}): MemoryMailer => {
  const sent: Mail[] = [];
  return {
    target,
    sent,
    send: async (mail) => {
      if (/[\r\n]/.test(mail.to + mail.subject)) throw new TypeError("a mail has an address and a subject of one line");
      if (target === "none" || refuses.includes(mail.to)) return "refused";
      sent.push(mail);
      if (sent.length > kept) sent.shift();
      return "taken";
    },
  };
};
