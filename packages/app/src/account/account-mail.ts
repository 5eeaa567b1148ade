import type { NewJob, Ports } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import {
  defineJob,
  type JobHandler,
  newJob,
  type QueueLimits,
  type RetryPolicy,
  type Schedule,
  schedule,
  type WorkerOptions,
} from "@postern/jobs";
import type { EngineCall } from "@postern/rest";
import type { SettingsInForce } from "../settings.ts";
import { type AccountMessage, openMessage, sealMessage } from "./account-message.ts";
import { purgeTokens, withdrawToken } from "./account-token.ts";
import { accountWith, letterWriter, type MailPorts } from "./letter-writer.ts";
import { type Happening, happenings } from "./mail-texts.ts";

const second = 1_000;
const minute = 60 * second;
/**
 * The waits before further tries. They are short, because a link that comes a day late helps
 * nobody.
 */
const retry: RetryPolicy = { delaysMs: [5 * second, 30 * second, 5 * minute, 15 * minute, 30 * minute] };

/**
 * The queue of mails. Strangers can cause mails as fast as they send requests. If the mail server
 * is slow, those mails would hold every slot of a worker, and no webhook would be processed.
 */
export const mailQueue = "mail";
const mostAtOnce = 4;

/** Whether each such message is a mail of its own. */
const isOneEach = ({ about }: AccountMessage): boolean => about === "notice" || about === "export";

/** Mails about accounts. */
export interface AccountMail {
  /** False if mails go nowhere. `jobsFor` then makes no jobs. */
  readonly active: boolean;
  /** True if they go to a mail server. On a terminal, only the person who started the server reads them. */
  readonly reachesPeople: boolean;
  /** The work that runs in the background. */
  readonly jobs: readonly JobHandler<{ sealed: string }>[];
  readonly schedules: readonly Schedule[];
  /**
   * The limits of the queues of a worker with these options. Mails get at most half of its slots,
   * and 4 at most, unless the options say how many.
   */
  queuesOf(options: Pick<WorkerOptions, "concurrency" | "queues">): Record<string, QueueLimits>;
  /**
   * The jobs that send a message: one, or none if mails go nowhere. Enqueue them with its cause.
   */
  jobsFor(message: AccountMessage): Promise<readonly NewJob[]>;
  /**
   * The jobs that tell a user what happened to their account. The text `more` follows unchanged. No
   * jobs if mails go nowhere, nothing happened, or the user does not exist.
   */
  noticesFor(
    call: Pick<EngineCall, "now"> & { readonly request: Pick<EngineCall["request"], "address"> },
    userId: string,
    happened: readonly Happening[],
    more?: string,
  ): Promise<readonly NewJob[]>;
}

/**
 * Makes the mails about accounts. Jobs send them and also make the tokens (ADR 27). No mail is sent
 * without `accountPage`, the URL that links lead to.
 */
export const accountMail = (
  ports: MailPorts,
  settings: Pick<SettingsInForce, "accountPage" | "product">,
): AccountMail => {
  const { accountPage } = settings;
  const { storage, mailer, ids } = ports;
  const active = mailer.target !== "none" && accountPage !== undefined;
  const letterTo = letterWriter(ports, settings);

  const job = defineJob<{ sealed: string }>(
    "postern.account-mail",
    async (payload, { log, idempotencyKey }) => {
      const message = await openMessage(ports, payload);
      const letter = await letterTo(message);
      if (letter === undefined) return;
      const { token, ...mail } = letter;
      try {
        // Each link is a new message. A notice is the same message at each try.
        const id = isOneEach(message) ? idempotencyKey : ids.uuid();
        if ((await mailer.send({ ...mail, id })) === "taken") return;
        log("warn", "a mail about an account was refused");
      } catch (thrown) {
        if (token !== undefined) await withdrawToken(storage.resources, token);
        throw thrown;
      }
      if (token !== undefined) await withdrawToken(storage.resources, token);
    },
    // Without mail no job is ever in this queue.
    { ...(active ? { queue: mailQueue } : {}), retry, timeoutMs: minute, onRetry: "yield" },
  );

  const jobsFor: AccountMail["jobsFor"] = async (message) => {
    if (!active) return [];
    const whom = "email" in message ? message.email : message.userId;
    // One job at a time for each address, so that the links of an address can be counted.
    const orderKey = `account-mail:${await ports.secretBox.digest(`${message.about} ${whom}`)}`;
    // If requests arrive faster than mails leave, they share one mail.
    const unique = isOneEach(message) ? {} : { unique: { key: orderKey } };
    return [newJob(job, await sealMessage(ports, message), { orderKey, ...unique })];
  };

  return {
    active,
    reachesPeople: active && mailer.target === "server",
    jobs: [job],
    schedules: [
      schedule("postern.purge-account-tokens", "29 * * * *", async (_due, { log }) => {
        const tokens = await purgeTokens(storage.resources, ports.clock.now());
        if (tokens > 0) log("info", "deleted account tokens that had expired", { tokens });
      }),
    ],
    queuesOf: ({ concurrency, queues = {} }) => {
      if (mailer.target === "none") return { ...queues };
      const own = { concurrency: Math.max(1, Math.min(mostAtOnce, Math.floor(concurrency / 2))) };
      return { ...queues, [mailQueue]: { ...own, ...queues[mailQueue] } };
    },
    jobsFor,
    noticesFor: async ({ now, request }, userId, happened, more = "") => {
      const account = active && happened.length > 0 ? await accountWith(ports, "id", userId) : undefined;
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
export const enqueuing = <One extends Pick<EngineCall, "write" | "now">>(
  call: One,
  { wakeup }: Pick<Ports, "wakeup">,
  jobsFor: (about: Parameters<EngineCall["write"]>[0]) => Promise<readonly NewJob[]>,
): One => ({
  ...call,
  write: async (about, work) => {
    const jobs = await jobsFor(about);
    const answer = await call.write(about, async (stores, own) => {
      const made = await work(stores, own);
      if (jobs.length > 0) await stores.jobs.enqueue(jobs, call.now());
      return made;
    });
    if (jobs.length > 0) wakeup.notify();
    return answer;
  },
});
