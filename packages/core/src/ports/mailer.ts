/** A message to one person. */
export interface Mail {
  /** One address, without a name. */
  readonly to: string;
  /** One line. */
  readonly subject: string;
  /** Lines end with `\n`. */
  readonly text: string;
  /** The same as HTML, for readers that show it. Default: none. */
  readonly html?: string;
  /**
   * The same for each try to send the same message, so that a receiver can tell a repeat
   * (`Message-ID`, RFC 5322, section 3.6.4). 1 to 64 letters, digits and hyphens.
   */
  readonly id: string;
}

/**
 * Where mails go. `server`: to a mail server. `terminal`: they are shown to the person who started
 * this process. `none`: nowhere; nothing can be sent.
 */
export type MailTarget = "server" | "terminal" | "none";

/**
 * The result for one mail. `taken`: the server has accepted it, or the terminal has shown it.
 * `refused`: it will never be accepted, for example because there is no such mailbox.
 */
export type MailResult = "taken" | "refused";

/** Sends mails. Driven port; `mailerContract` is its definition in code. */
export interface Mailer {
  readonly target: MailTarget;
  /**
   * Sends one mail. With the target `none`, every mail is refused.
   * @throws AppError `upstream_unreachable` when the server cannot be reached or does not take the
   *   mail at the moment: try again later. TypeError for an address or a subject with a line break.
   */
  send(mail: Mail): Promise<MailResult>;
}
