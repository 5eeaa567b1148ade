import {
  allRows,
  defineJob,
  equals,
  type JobHandler,
  type NewJob,
  newJob,
  type Ports,
  type RetryPolicy,
  type Row,
  type Schedule,
  schedule,
} from "@postern/core";
import { timestampOf } from "@postern/core/parts";
import type { Call } from "@postern/rest";
import { user } from "../resources/user.ts";
import type { Settings } from "../settings.ts";
import { type AccountMessage, openMessage, sealMessage } from "./account-message.ts";
import { type IssuedToken, issueToken, type NewToken, purgeTokens, withdrawToken } from "./account-token.ts";
import { type Happening, happenings, lettersOf } from "./mail-texts.ts";

const system = allRows("account mail");
const second = 1_000;
const minute = 60 * second;
/** The waits before further tries. A link that comes a day late helps nobody. */
const waitsMs = [5 * second, 30 * second, 5 * minute, 15 * minute, 30 * minute];
/** Every wait after the last of these is as long as the last one. */
const retryUpTo = (tries: number): RetryPolicy => ({
  delaysMs: Array.from({ length: tries - 1 }, (_, n) => waitsMs[n] ?? 30 * minute),
});

export type MailPorts = Pick<
  Ports,
  "storage" | "secretBox" | "randomness" | "ids" | "clock" | "mailer" | "wakeup" | "telemetry"
>;

/** Mails about accounts. */
export interface AccountMail {
  /** False if mails go nowhere. `jobFor` then makes no job. */
  readonly active: boolean;
  /** The work that runs in the background. */
  readonly jobs: readonly JobHandler<{ sealed: string }>[];
  readonly schedules: readonly Schedule[];
  /**
   * The jobs that send a message: one, or none if mails go nowhere. Enqueue them with its cause.
   */
  jobsFor(message: AccountMessage): Promise<readonly NewJob[]>;
  /** The jobs that tell the user of an account what happened to it. `more` follows as it is. */
  noticesFor(
    call: Pick<Call, "now"> & { readonly request: Pick<Call["request"], "address"> },
    userId: string,
    happened: readonly Happening[],
    more?: string,
  ): Promise<readonly NewJob[]>;
}

/** A message about something that waits for a confirmation. */
type WaitingMessage = Extract<AccountMessage, { about: "sign-up" | "address" }>;

/** A mail that is ready to be sent. */
interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The token whose link it holds, or that counts it. */
  readonly token?: IssuedToken;
}

/**
 * Mails about accounts. They are sent by jobs, which also make the tokens (ADR 27). `accountPage`
 * is the URL that links lead to.
 */
export const accountMail = (
  ports: MailPorts,
  settings: Pick<Settings, "accountPage" | "mailTries" | "mailedLinkSeconds" | "mailedLinks" | "exportSeconds">,
): AccountMail => {
  const { accountPage, mailTries } = settings;
  const { storage, mailer, ids } = ports;
  const active = mailer.target !== "none" && accountPage !== undefined;
  const page = accountPage ?? "";
  const letters = lettersOf(/^https?:\/\/([^/]+)/.exec(page)?.[1] ?? "Postern", settings);
  const bounds = { lifeMs: settings.mailedLinkSeconds * second, most: settings.mailedLinks };

  const accountWith = async (field: "id" | "email", value: string): Promise<Row | undefined> => {
    const order = [{ field: "id", direction: "asc" }] as const;
    const fields = ["id", "email", "name", "verified_email"];
    const where = equals(field, value);
    const [found] = await storage.resources.list(user, { scope: system, where, order, limit: 1, fields });
    return found;
  };

  /** A mail with a link; `undefined` while the address has the greatest number of valid links. */
  const linked = async (
    token: Omit<NewToken, "lifeMs" | "most">,
    to: string,
    write: (link: string) => Pick<Letter, "subject" | "text">,
  ): Promise<Letter | undefined> => {
    const issued = await issueToken(ports, storage.resources, { ...token, ...bounds });
    if (issued === undefined) return undefined;
    return { to, ...write(`${page}#${token.purpose}=${issued.text}`), token: issued };
  };

  /**
   * Asks for a confirmation if the address has no account; otherwise tells the owner of the
   * account.
   */
  const confirmation = async (message: WaitingMessage): Promise<Letter | undefined> => {
    const { about: purpose, email: to } = message;
    if ((await accountWith("email", to)) !== undefined) {
      // Counts as a link, or strangers could send the owner as many mails as they like.
      const token = await issueToken(ports, storage.resources, { purpose, userId: null, subject: to, ...bounds });
      return token && { to, ...letters.taken(), token };
    }
    const [userId, content] = message.about === "address" ? [message.userId, to] : [null, message.content];
    return linked({ purpose, userId, subject: to, content }, to, letters[purpose]);
  };

  const letterTo = async (message: AccountMessage): Promise<Letter | undefined> => {
    if (message.about === "notice") return { to: message.email, ...letters.notice(message) };
    if (message.about === "sign-up" || message.about === "address") return confirmation(message);
    const account =
      message.about === "reset" ? await accountWith("email", message.email) : await accountWith("id", message.userId);
    if (account === undefined) return undefined;
    const to = String(account.email);
    if (message.about === "export") return { to, ...letters.export() };
    if (message.about === "verify" && account.verified_email === to) return undefined;
    const token = { purpose: message.about, userId: String(account.id), subject: to };
    const write = {
      reset: letters.reset,
      verify: letters.verify,
      invite: (link: string) => letters.invite(link, String(account.name)),
    }[message.about];
    return linked(token, to, write);
  };

  const job = defineJob<{ sealed: string }>(
    "postern.account-mail",
    async (payload, { log, idempotencyKey }) => {
      const letter = await letterTo(await openMessage(ports, payload));
      if (letter === undefined) return;
      const { token, ...mail } = letter;
      try {
        // Each link is a new message. A notice is the same message at each try.
        const id = token === undefined ? idempotencyKey : ids.uuid();
        if ((await mailer.send({ ...mail, id })) === "taken") return;
        log("warn", "a mail about an account was refused");
      } catch (thrown) {
        if (token !== undefined) await withdrawToken(storage.resources, token);
        throw thrown;
      }
      if (token !== undefined) await withdrawToken(storage.resources, token);
    },
    { retry: retryUpTo(mailTries), timeoutMs: minute, onRetry: "yield" },
  );

  const jobsFor: AccountMail["jobsFor"] = async (message) => {
    if (!active) return [];
    const whom = "email" in message ? message.email : message.userId;
    // One job at a time for each address, so that the links of an address can be counted.
    const orderKey = `account-mail:${await ports.secretBox.digest(`${message.about} ${whom}`)}`;
    // If requests arrive faster than mails leave, they share one mail. Each notice is a mail of its
    // own.
    const isOneEach = message.about === "notice" || message.about === "export";
    const unique = isOneEach ? {} : { unique: { key: orderKey } };
    return [newJob(job, await sealMessage(ports, message), { orderKey, ...unique })];
  };

  return {
    active,
    jobs: [job],
    schedules: [
      schedule("postern.purge-account-tokens", "29 * * * *", async (_due, { log }) => {
        const tokens = await purgeTokens(storage.resources, ports.clock.now());
        if (tokens > 0) log("info", "deleted account tokens that had expired", { tokens });
      }),
    ],
    jobsFor,
    noticesFor: async ({ now, request }, userId, happened, more = "") => {
      const account = active && happened.length > 0 ? await accountWith("id", userId) : undefined;
      if (account === undefined) return [];
      const what = [...happened.map((one) => happenings[one]), ...(more === "" ? [] : [more])].join("\n");
      const email = String(account.email);
      return jobsFor({ about: "notice", email, what, at: timestampOf(now()), address: request.address });
    },
  };
};

/**
 * Enqueues jobs in the transaction of every write of a call. `jobsFor` gets the note of the write.
 */
export const enqueuing = <One extends Pick<Call, "write" | "now">>(
  call: One,
  { wakeup }: Pick<Ports, "wakeup">,
  jobsFor: (about: Parameters<Call["write"]>[0]) => Promise<readonly NewJob[]>,
): One => ({
  ...call,
  write: async (about, work) => {
    const jobs = await jobsFor(about);
    const answer = await call.write(about, async (stores) => {
      const made = await work(stores);
      if (jobs.length > 0) await stores.jobs.enqueue(jobs, call.now());
      return made;
    });
    if (jobs.length > 0) wakeup.notify();
    return answer;
  },
});
