import { didYouMean } from "./errors/did-you-mean.ts";
import type { NewMail } from "./model/new-mail.ts";
import type { Resource } from "./model/resource.ts";
import type { Ids } from "./ports/ids.ts";
import type { NewJob } from "./ports/job.ts";
import type { ResourceReads } from "./ports/resource-repository.ts";
import type { OwnTables, Stores } from "./ports/storage.ts";
import type { ReadsOf } from "./resources/row-types.ts";
import { createReads, createRows, type Rows } from "./resources/rows.ts";

/**
 * One transaction as your code sees it: rows of declared resources, jobs, and tables of your own.
 * All of it is committed together, or nothing is. Use it only until your work has ended. `Named` are
 * the rows of resources that the compiler knows.
 */
export interface Transaction<Named = Rows> extends OwnTables {
  /** The rows of the declared resources by name, which keep the rules of their declarations. */
  readonly rows: Named;
  /**
   * Stores jobs made with `newJob`, and returns their ids. If a unique key is taken, the id is that of
   * the job that has it. The jobs exist exactly if the transaction is committed, and none runs before.
   * @throws TypeError for a kind that this application does not have.
   */
  enqueue(...jobs: readonly NewJob[]): Promise<readonly number[]>;
  /**
   * Sends a mail by a job of this transaction, one for each address: it goes exactly if the transaction
   * is committed, through the same mail server and as slowly as mails about accounts, and again later
   * while the server does not take it. A try that was cut off may send it twice, with the same
   * `Message-ID`.
   * @throws TypeError for a text that is no address, a subject that is not one line, or more than 50
   *   addresses or 256 KiB, and on a server that sends no mails.
   */
  mail(mail: NewMail): Promise<void>;
}

/**
 * One transaction that only reads. All of it sees the rows as they were when it began. Use it only
 * until your work has ended.
 */
export interface ReadTransaction<Named = Rows> extends OwnTables {
  /** The rows of the declared resources by name. */
  readonly rows: ReadsOf<Named>;
}

/** What every job that is stored needs: a handler with the name of its kind. @throws TypeError */
type RequireKinds = (jobs: readonly NewJob[]) => void;

export const requireKinds = (handlers: readonly { readonly name: string }[]): RequireKinds => {
  const kinds = new Set(handlers.map(({ name }) => name));
  return (jobs) => {
    const stray = jobs.find(({ kind }) => !kinds.has(kind));
    if (stray === undefined) return;
    throw new TypeError(`there is no handler named "${stray.kind}"${didYouMean([stray.kind], [...kinds])}`);
  };
};

/** Notices what is called inside a transaction: it would wait for that, or be committed apart from it. */
export interface Nesting {
  /** @throws TypeError inside `work` of `inside`; `name` is the function that was called. */
  refuse(name: string): void;
  /** Marks everything that `work` does or starts as inside, until `work` has ended. */
  inside<Result>(work: () => Promise<Result>): Promise<Result>;
}

export const nestedCall = (name: string): TypeError =>
  new TypeError(
    `${name} was called inside a transaction, and would not be part of it: use the \`tx\` that your work is given`,
  );

/** A transaction that is open. */
interface Opened {
  readonly stores: Stores;
  /** Absent in a transaction of the application, which has its tables already. */
  readonly own?: OwnTables;
  /** Milliseconds since the epoch, for times of rows and jobs. */
  readonly now: () => number;
  /** Called when jobs were stored. */
  readonly onEnqueue?: () => void;
}

/** Gives an open transaction what your code uses in it, and the stores below that. */
export type TransactionIn = (opened: Opened) => Transaction & Stores;

/** `base`, with the members of `over` in place of its own. Each is looked up when it is used. */
export const overlaid = <Base extends object, Over extends object>(base: Base, over: Over): Base & Over =>
  new Proxy<Base & Over>(over as Base & Over, {
    get: (_target, name) => (name in over ? Reflect.get(over, name) : Reflect.get(base, name)),
    has: (_target, name) => name in over || name in base,
  });

interface TransactionParts {
  readonly resources: readonly Resource[];
  /** Everything that jobs can be for. */
  readonly handlers: readonly { readonly name: string }[];
  readonly ids: Ids;
  /** The jobs that send a mail. Default: nothing sends mails. */
  readonly mailJobs?: MailJobs;
}

/** Makes the jobs that send a mail. @throws TypeError for a mail that cannot be sent. */
export type MailJobs = (mail: NewMail) => Promise<readonly NewJob[]>;

const noMails: MailJobs = async () => {
  throw new TypeError("mail: only an application sends mails, and this is a queue of jobs alone");
};

/** Gives an open transaction that only reads what your code uses in it. */
export type ReadIn = (resources: ResourceReads, own: OwnTables) => ReadTransaction;

/** What transactions give to your code. */
export interface Transactions {
  readonly transactionIn: TransactionIn;
  readonly readIn: ReadIn;
  readonly mailJobs: MailJobs;
}

/** Transactions that know these resources and these kinds of jobs. */
export const createTransactions = ({
  resources,
  handlers,
  ids,
  mailJobs = noMails,
}: TransactionParts): Transactions => {
  const rowsIn = createRows(resources, { ids });
  const readsIn = createReads(resources);
  const requireKnown = requireKinds(handlers);
  return {
    mailJobs,
    transactionIn: ({ stores, own, now, onEnqueue }) => {
      const enqueue: Transaction["enqueue"] = async (...jobs) => {
        requireKnown(jobs);
        if (jobs.length === 0) return [];
        const stored = await stores.jobs.enqueue(jobs, now());
        onEnqueue?.();
        return stored;
      };
      const members: Omit<Transaction, keyof OwnTables> = {
        rows: rowsIn(stores, now),
        enqueue,
        mail: async (mail) => void (await enqueue(...(await mailJobs(mail)))),
      };
      return overlaid(overlaid(own ?? ({} as OwnTables), stores), members);
    },
    readIn: (reads, own) => overlaid(own, { rows: readsIn(reads) }),
  };
};
