import { utf8Encode } from "../runtime.ts";
import { emailAddress } from "./email-address.ts";

/** A mail of your own. */
export interface NewMail {
  /** One address, without a name, or up to 50. Each gets a mail of their own, and sees no other. */
  readonly to: string | readonly string[];
  /** One line of 1 to 200 characters. */
  readonly subject: string;
  /** Plain text. Lines end with `\n`. */
  readonly text: string;
  /** The same as HTML, for readers that show it. With `text` at most 256 KiB. */
  readonly html?: string;
}

const mostReceivers = 50;
const longestSubject = 200;
const mostBytes = 256 * 1024;

/** Control characters and line separators: a header of its own would begin behind one. */
const notOfOneLine = /[\p{Cc}\p{Zl}\p{Zp}]/u;

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/**
 * The addresses of a mail that can be sent, in their canonical form, each once.
 * @throws TypeError that says what is wrong; it names no address.
 */
export const receiversOf = ({ to, subject, text, html }: NewMail): readonly string[] => {
  const refuse = (why: string): never => {
    throw new TypeError(`mail: ${why}`);
  };
  const given: readonly unknown[] = Array.isArray(to) ? to : [to];
  if (given.length === 0 || given.length > mostReceivers) refuse(`"to" is one address, or up to ${mostReceivers}`);
  if (!isText(subject) || subject.length > longestSubject || notOfOneLine.test(subject)) {
    refuse(`"subject" is one line of 1 to ${longestSubject} characters`);
  }
  if (!isText(text)) refuse('"text" is missing; it says in plain text what "html" shows');
  if (html !== undefined && !isText(html)) refuse('"html" is a text');
  if (utf8Encode(text + (html ?? "")).length > mostBytes) refuse('"text" and "html" have at most 256 KiB together');
  const addresses = given.map((one) => {
    const parsed = emailAddress.safeParse(one);
    return parsed.success ? parsed.data : refuse('"to" has a text that is no email address');
  });
  return [...new Set(addresses)];
};
