import type { InboxHandler } from "@postern/inbox";
import type { Scheme } from "@postern/webhook-verifier";
import { CommandError, exitCodes, type Terminal } from "../terminal.ts";

/** What a server answered to a delivery. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** What became of a delivery. Some senders need an answer that does not say so: `taken`. */
const wordOf = ({ status, body }: Answer): string => {
  if (status >= 300) return "refused";
  const { events, status: word } = Object(body);
  return String(word ?? Object(Array.isArray(events) ? events[0] : undefined).status ?? "taken");
};

/** How many deliveries went which way. */
export const sumsOf = (answers: readonly Answer[]): Readonly<Record<string, number>> => {
  const sums: Record<string, number> = { accepted: 0, duplicate: 0, refused: 0 };
  for (const answer of answers) sums[wordOf(answer)] = (sums[wordOf(answer)] ?? 0) + 1;
  return sums;
};

/** What was done to the deliveries that decides which answers are expected. */
interface Expected {
  readonly tamper?: boolean;
  readonly duplicate?: boolean;
  /** Whether the signed time is further from now than the sender's tolerance. */
  readonly isTooFar: boolean;
}

/**
 * Compares the answers with what `send` was told to do to its deliveries.
 * @throws CommandError unless each answer is as expected.
 */
export const checkAnswers = (
  answers: readonly Answer[],
  { what, scheme }: { readonly what: string; readonly scheme: Scheme },
  { tamper = false, duplicate = false, isTooFar }: Expected,
  { stderr }: Terminal,
): void => {
  const isRefusalWanted = tamper || isTooFar;
  const why = tamper ? "a byte of the body was changed after signing" : "the signed time is too far from now";
  const wrong = answers.filter(({ status }) => (isRefusalWanted ? status !== 401 : status >= 300));
  if (isRefusalWanted && wrong.length === 0) return void stderr.write(`Refused as expected: ${why}.\n`);
  if (isRefusalWanted && wrong.some(({ status }) => status < 300)) {
    const signed = tamper ? ` What ${scheme.title} signs: ${scheme.covered.join(", ")}.` : "";
    throw new CommandError(exitCodes.problems, `${what} was accepted, although ${why}.${signed}`);
  }
  if (wrong.length > 0) {
    // Postern answers JSON. Another text comes from the server that Postern is a part of.
    const isElsewhere = wrong.some(({ status, body }) => status === 404 && typeof body === "string");
    const hint = isElsewhere
      ? " Nothing of Postern answers there: give --url with the path at which it is mounted, such as http://127.0.0.1:3000/postern."
      : "";
    throw new CommandError(exitCodes.failed, `${what} was not accepted.${hint}`);
  }
  const seconds = duplicate ? answers.filter((_, at) => at % 2 === 1).map(wordOf) : [];
  if (seconds.every((word) => word === "duplicate" || word === "taken")) return;
  throw new CommandError(exitCodes.problems, `${what}: a second delivery was taken for a new event.`);
};

/**
 * What to do about an event that was taken but reaches no handler: the last one that was sent.
 * `undefined` if it reaches one.
 */
export const adviceOn = (
  answers: readonly Answer[],
  provider: string,
  handlers: readonly Pick<InboxHandler, "provider" | "type">[],
): string | undefined => {
  const last = answers.at(-1);
  const word = last === undefined ? undefined : wordOf(last);
  if (word === "quarantined") return "It is in quarantine: postern events list --state quarantined says why.";
  if (word !== "ignored") return undefined;
  const types = new Set(handlers.filter((one) => [provider, "*"].includes(one.provider)).map(({ type }) => type));
  return types.size === 0
    ? `No handler wants events of ${provider}.`
    : `No handler wants this event. Those of ${provider} want ${[...types].join(", ")}: say --type.`;
};
