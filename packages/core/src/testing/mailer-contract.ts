import assert from "node:assert/strict";
import type { Mail, Mailer } from "../ports/mailer.ts";
import type { Contract } from "./contract.ts";

/** A mail as its receiver has it. */
export type ReceivedMail = Pick<Mail, "to" | "subject" | "text"> & {
  /** The whole `Message-ID`, or another text that identifies the message. */
  readonly messageId: string;
};

export interface MailerSubject {
  readonly mailer: Mailer;
  /** What has arrived so far, oldest first. */
  received(): readonly ReceivedMail[];
  /** An address that the receiver does not have. */
  readonly refused: string;
}

const mail: Mail = {
  to: "ada@example.com",
  subject: "Reset your password",
  text: "Open this link:\n\nhttps://api.example.com/api/account#reset=abc\n",
  id: "mail-1",
};

export const mailerContract: Contract<MailerSubject> = {
  "delivers address, subject and text as they are": async ({ mailer, received }) => {
    assert.equal(await mailer.send(mail), "taken");
    assert.deepEqual(
      received().map(({ messageId: _id, ...rest }) => rest),
      [{ to: mail.to, subject: mail.subject, text: mail.text }],
    );
  },
  "keeps any letters, long lines, and lines that begin with a dot": async ({ mailer, received }) => {
    const subject = "Grüße, 世界 ".repeat(12).trim();
    const text = `.\n..leading dots\n=20 is no blank\n${"ä".repeat(1_200)}\nhttps://x.example/${"a".repeat(300)}\nthe end\n`;
    assert.equal(await mailer.send({ ...mail, subject, text }), "taken");
    assert.deepEqual([received()[0]?.subject, received()[0]?.text], [subject, text]);
  },
  "gives each try of a message the same id, and another message another": async ({ mailer, received }) => {
    for (const id of ["first", "first", "second"]) await mailer.send({ ...mail, id });
    const [one, again, other] = received().map(({ messageId }) => messageId);
    assert.ok(one !== undefined && one === again && one !== other);
  },
  "says that a mail is refused for good": async ({ mailer, refused, received }) => {
    assert.equal(await mailer.send({ ...mail, to: refused }), "refused");
    assert.deepEqual(received(), []);
  },
  "takes no line break in an address or a subject, which would be a header of its own": async (subject) => {
    for (const broken of [
      { subject: "Hello\r\nBcc: eve@example.com" },
      { subject: "Hello\nX: y" },
      { to: "a@example.com\r\nBcc: b@example.com" },
    ]) {
      await assert.rejects(subject.mailer.send({ ...mail, ...broken }), TypeError);
    }
    assert.deepEqual(subject.received(), []);
  },
};
