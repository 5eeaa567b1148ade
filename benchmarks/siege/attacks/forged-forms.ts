import type { Attack } from "../attack.ts";
import { send } from "../send.ts";

const lanesEach = 2;
/** A body may have a megabyte. */
const characters = 1_040_000;

const many = (write: (n: number) => string): string => {
  const parts: string[] = [];
  for (let n = 0, length = 0; length < characters; n += 1) {
    const part = write(n);
    parts.push(part);
    length += part.length;
  }
  return parts.join("");
};

interface Forged {
  readonly provider: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Senders whose forms or JSON are read before anything is proved. */
const forgeries = (): readonly Forged[] => {
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const fields = many((n) => `${n.toString(36)}&`);
  const members = `{${many((n) => `"${n.toString(36)}":1,`)}"z":1}`.slice(0, characters);
  return [
    { provider: "twilio", headers: { ...form, "x-twilio-signature": "AAAA" }, body: fields },
    { provider: "twilio", headers: { ...form, "x-twilio-signature": "AAAA" }, body: `a=${"+".repeat(characters)}` },
    { provider: "slack", headers: { ...form, "x-slack-signature": `v0=${"0".repeat(64)}` }, body: fields },
    { provider: "mailgun", headers: {}, body: members },
  ];
};

/** The longest forms, and those that cost the server most, with wrong signatures. */
export const forgedForms: Attack = {
  name: "forged-forms",
  does: "16 connections of 8 addresses send forms and JSON of a megabyte, with as many fields as fit and wrong signatures",
  requirement: "R15, section 2.10",
  seconds: 4,
  environment: {
    WEBHOOK_TWILIO_SECRET: "the secret of a second sender",
    WEBHOOK_SLACK_SECRET: "the secret of a third sender",
    WEBHOOK_MAILGUN_SECRET: "the secret of a fourth sender",
  },
  run: async ({ port, addresses, isOver, inspect }) => {
    const statuses = new Map<number, number>();
    const before = (await inspect()).mainThreadMs;
    const bodies = forgeries();
    const lane = async (from: string, first: number): Promise<void> => {
      for (let n = first; !isOver(); n += 1) {
        const { provider, headers, body } = bodies[n % bodies.length] ?? { provider: "", headers: {}, body: "" };
        const path = `/api/webhooks/${provider}`;
        const { status } = await send({ port, from, method: "POST", path, headers, body });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(addresses.flatMap((from) => Array.from({ length: lanesEach }, (_, n) => lane(from, n))));
    const ms = (await inspect()).mainThreadMs - before;
    const seen = [...statuses].toSorted(([a], [b]) => a - b).map(([status, times]) => `${status} × ${times}`);
    return { saw: `${seen.join(", ")}; ${Math.round(ms)} ms of the main thread` };
  },
};
