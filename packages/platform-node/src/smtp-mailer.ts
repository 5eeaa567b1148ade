import { AppError } from "@postern/core";
import type { Mail, Mailer, MailResult } from "@postern/core/ports";
import type { Transporter } from "nodemailer";

export interface SmtpMailerOptions {
  /**
   * `smtp://user:password@host:587` or `smtps://user:password@host:465`. With `smtp:` the
   * connection must change to TLS (RFC 3207) before anything secret is sent, unless the host is
   * this machine or the URL has `?requireTLS=false`.
   */
  readonly url: string;
  /** The sender: an address, or a name and an address as in `Postern <no-reply@example.com>`. */
  readonly from: string;
  /** Milliseconds for each step: connecting, the greeting, each answer. Default: 10,000. */
  readonly timeoutMs?: number;
}

const lineBreak = /[\r\n]/;
const idForm = /^[A-Za-z0-9-]{1,64}$/;

const isThisMachine = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(host);

/** @throws TypeError for text that is not the URL of a mail server. */
const checkedUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === "") {
    throw new TypeError("the URL of a mail server is smtp://host:port or smtps://host:port");
  }
  return url;
};

/** @throws TypeError */
const checkMail = ({ to, subject, id }: Mail): void => {
  if (lineBreak.test(to) || lineBreak.test(subject)) {
    throw new TypeError("a mail has an address and a subject of one line");
  }
  if (!idForm.test(id)) throw new TypeError("the id of a mail has 1 to 64 letters, digits and hyphens");
};

/**
 * Whether the server will never take this mail: a reply of 500 or above (RFC 5321, section 4.2.1)
 * to its receiver or its content. Such a reply to anything else concerns the connection, the
 * sign-in or the sender, which you can correct.
 */
const isFinal = (thrown: unknown): boolean => {
  const { responseCode, command } = Object(thrown);
  return Number(responseCode) >= 500 && ["RCPT TO", "DATA"].includes(String(command));
};

/**
 * Sends mails through a mail server (RFC 5321), each over a connection of its own. No file and no
 * URL is ever read for a mail.
 * @throws TypeError for a URL or a sender that cannot be used.
 */
export const smtpMailer = ({ url: text, from, timeoutMs = 10_000 }: SmtpMailerOptions): Mailer => {
  const url = checkedUrl(text);
  if (lineBreak.test(from) || !from.includes("@")) throw new TypeError("the sender of mails is an email address");
  const domain = /@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? "localhost";
  const plain = isThisMachine(url.hostname) || url.searchParams.get("requireTLS") === "false";
  const options = {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || (url.protocol === "smtps:" ? 465 : 587)),
    secure: url.protocol === "smtps:",
    requireTLS: !plain,
    ...(url.username === ""
      ? {}
      : { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  let opened: Promise<Transporter> | undefined;
  /** Loaded with the first mail, so that a start need not wait for it. */
  const open = (): Promise<Transporter> => {
    opened ??= import("nodemailer").then(({ createTransport }) => createTransport(options));
    return opened;
  };
  return {
    target: "server",
    send: async (mail): Promise<MailResult> => {
      checkMail(mail);
      try {
        const transport = await open();
        await transport.sendMail({
          from,
          to: { name: "", address: mail.to },
          subject: mail.subject,
          text: mail.text,
          ...(mail.html === undefined ? {} : { html: mail.html }),
          messageId: `<${mail.id}@${domain}>`,
          // Vacation notices must not answer (RFC 3834, section 5).
          headers: { "Auto-Submitted": "auto-generated" },
        });
        return "taken";
      } catch (cause) {
        if (isFinal(cause)) return "refused";
        // The library's message may quote the address and the answer of the server, so it is for
        // the log only.
        throw new AppError("upstream_unreachable", { detail: "The mail server did not take a mail.", cause });
      }
    },
  };
};
