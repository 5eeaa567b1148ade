import { memoryMailer } from "@postern/core/memory";
import type { Mailer } from "@postern/core/ports";
import { smtpMailer } from "@postern/platform-node";
import type { ServerConfig } from "./config.ts";
import { ownAddress } from "./own-address.ts";

/**
 * Shows mails to the person at the terminal, who may read the links of everybody on this machine
 * anyway.
 */
export const terminalMailer = (write: (text: string) => void): Mailer => ({
  target: "terminal",
  send: async ({ to, subject, text }) => {
    if (/[\r\n]/.test(to + subject)) throw new TypeError("a mail has an address and a subject of one line");
    write(`\nA mail to ${to}, shown here because POSTERN_SMTP_URL is not set:\n  ${subject}\n\n${text}\n`);
    return "taken";
  },
});

/** The sender with the product's title as its name, unless it has a name. A quoted text: RFC 5322, section 3.2.4. */
export const senderOf = (from: string, title: string | undefined): string =>
  title === undefined || from.includes("<") ? from : `"${title.replaceAll(/["\\]/g, "\\$&")}" <${from}>`;

/**
 * How mails leave: through the mail server if there is one; otherwise on the terminal, if the
 * server serves only this machine; otherwise not at all.
 */
export const mailerOf = ({ mail, showsMail }: Pick<ServerConfig, "mail" | "showsMail">, title?: string): Mailer => {
  if (mail !== undefined) return smtpMailer({ ...mail, from: senderOf(mail.from, title) });
  return showsMail ? terminalMailer((text) => process.stdout.write(text)) : memoryMailer({ target: "none" });
};

/**
 * Where links in mails lead; `undefined` without a public address, unless the reader is at this
 * machine.
 */
export const accountPageOf = (config: ServerConfig): string | undefined =>
  config.publicUrl === undefined && !config.showsMail ? undefined : `${ownAddress(config)}/api/account`;

/** A sentence that says where mails about accounts go, for the start and for `postern doctor`. */
export const mailSentences = {
  server: "mails about accounts leave through POSTERN_SMTP_URL",
  terminal: "POSTERN_SMTP_URL is not set: links for accounts are shown on this terminal",
  none: "POSTERN_SMTP_URL is not set: no mail about accounts is sent, so nobody can reset a password by mail",
} as const;
