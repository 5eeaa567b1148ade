import type { BeforeWrite, Change, OptionRules, Resource, RowOf, RowsOf } from "@postern/core";
import { option, optionFaults, refusalCode, refuseFaults } from "@postern/core/internal";
import { defineJob, type HandlerContext, type JobHandler, type JobOptions, Permanent } from "@postern/jobs";

/** What the job of a change keeps; `null` if the transaction has left the row as it was. */
type StoredChange = { readonly change: Change; readonly depth: number } | null;

/** A change that was committed. */
export interface CommittedChange<Of> extends Change<Of> {
  /**
   * The row as it is now; `null` if it is gone. It may be later than this change. Use it where `row` is
   * `null` because the change was too long.
   */
  read(): Promise<Of | null>;
}

interface BeforeWriteDeclaration {
  readonly hook: "before-write";
  readonly name: string;
  /** The name of the resource. */
  readonly resource: string;
  run(write: BeforeWrite): Promise<unknown>;
  /** The codes with which it refuses, each with a sentence for the documents. */
  readonly errors: Readonly<Record<string, string>>;
}

interface AfterCommitDeclaration {
  readonly hook: "after-commit";
  readonly name: string;
  /** The name of the resource. */
  readonly resource: string;
  readonly kinds: readonly Change["kind"][];
  readonly order: "row" | undefined;
  readonly job: JobHandler<StoredChange>;
}

/** Code of yours on the writes of a resource, made with `beforeWrite` or `afterCommit`. */
export type Hook = BeforeWriteDeclaration | AfterCommitDeclaration;

interface BeforeWriteOptions {
  /** For the log. Default: the resource's name and `.before-write`. */
  readonly name?: string;
  /** The codes with which it refuses, each with a sentence: `{ out_of_stock: "There are too few left." }`. */
  readonly errors?: Readonly<Record<string, string>>;
}

interface AfterCommitOptions extends JobOptions {
  /** The kinds of changes that it handles. Default: all. */
  readonly kinds?: readonly Change["kind"][];
  /**
   * `row`: the changes of a row come in the order of its revisions, each after the one before it has been
   * handled. Default: they come as soon as a worker is free, and may overtake each other.
   */
  readonly order?: "row";
}

const allKinds: readonly Change["kind"][] = ["create", "update", "delete"];

/** How many changes may cause each other: change → hook → change → … */
const deepest = 16;

const someErrors: OptionRules[string] = {
  is: (given) =>
    option.anObject.is(given) &&
    Object.entries(Object(given)).every(([code, title]) => refusalCode.test(code) && option.aText.is(title)),
  says: 'an object of codes in lower-case letters and underscores, each with a sentence: { out_of_stock: "…" }',
};

const someKinds: OptionRules[string] = {
  is: (given) => Array.isArray(given) && given.length > 0 && given.every((one) => allKinds.includes(one)),
  says: 'a list of "create", "update" or "delete"',
};

const resourceFaults = (maker: string, resource: unknown, run: unknown): readonly string[] => [
  ...(typeof Object(resource).name === "string" && Array.isArray(Object(resource).fieldNames)
    ? []
    : [`${maker}: its first argument is a resource, such as one made with defineResource`]),
  ...(typeof run === "function" ? [] : [`${maker}: the code to run is missing; it is a function`]),
];

/**
 * Looks at every write of a row before it is made: those of the API, of operations, and of your own code
 * in `commit`, `transaction` and `within`. It runs in the transaction of the write, after the access rule
 * and before the values are checked. Return nothing, or values to change in the row, which may also be
 * fields that only the server writes. `throw new Refused("code", "sentence", { field })` refuses the
 * write. Read with `rows`, and wait for nothing else: it gets 1 second, and other writers may wait for
 * it. It may run again for the same write.
 *
 *     beforeWrite(order, async ({ row, rows }) => {
 *       if (row?.state === "sent" && row.total === 0) throw new Refused("empty_order", "The order is empty.");
 *     }, { errors: { empty_order: "The order has no lines." } })
 *
 * It is not asked about rows that are deleted together with another row.
 * @throws DeclarationError for arguments that cannot work.
 */
export const beforeWrite = <One extends Resource>(
  resource: One,
  run: (write: BeforeWrite<RowOf<One>>) => unknown,
  options: BeforeWriteOptions = {},
): Hook => {
  const rules = { name: option.aText, errors: someErrors };
  refuseFaults([...resourceFaults("beforeWrite", resource, run), ...optionFaults("beforeWrite", options, rules)]);
  const { name = `${resource.name}.before-write`, errors = {} } = options;
  return {
    hook: "before-write",
    resource: resource.name,
    name,
    errors,
    // The seam gives it rows of this resource.
    run: async (write) => run(write as BeforeWrite<RowOf<One>>),
  };
};

/**
 * Handles every committed change of a resource, whichever way it was written: by the API, an operation, a
 * handler's `commit`, `transaction`, `within`, or together with a deleted row. The change is stored in
 * the transaction of the write, as a job of its own for each hook. So it is handled at least once for
 * each commit, with retries, and never for a write that was rolled back.
 *
 *     afterCommit(invoice, "tell-accounting", async (change, { idempotencyKey }) => { … }, { order: "row" })
 *
 * A commit that writes a row several times is one change. Changes that cause each other, because the hook
 * itself writes rows with `commit`, end at the 17th: its job is dead, and says so.
 * @throws DeclarationError for arguments that cannot work, and for those of `defineJob`.
 */
export const afterCommit = <One extends Resource>(
  resource: One,
  name: string,
  run: (change: CommittedChange<RowOf<One>>, context: HandlerContext) => Promise<unknown>,
  options: AfterCommitOptions = {},
): Hook => {
  const { kinds = allKinds, order, ...jobOptions } = options;
  refuseFaults([
    ...resourceFaults("afterCommit", resource, run),
    ...optionFaults(
      "afterCommit",
      { kinds, order },
      {
        kinds: someKinds,
        order: { is: (given) => given === "row", says: '"row"' },
      },
    ),
  ]);
  const handle = async (payload: StoredChange, context: HandlerContext): Promise<unknown> => {
    if (payload === null) return;
    const { change, depth } = payload;
    if (depth > deepest) throw new Permanent(tooLong(name, change));
    const read = () =>
      context.read(async (rows) => {
        const [row] = (await rows[resource.table]?.list({ id: change.rowId }, { limit: 1 })) ?? [];
        return row ?? null;
      });
    // The change was made of a row of this resource.
    return run({ ...change, read } as unknown as CommittedChange<RowOf<One>>, context);
  };
  const job = defineJob<StoredChange>(name, handle, jobOptions);
  return { hook: "after-commit", name, resource: resource.name, kinds, order, job };
};

/** Hooks whose rows the compiler knows. */
interface HookDeclarations<Named> {
  /** `beforeWrite`, with typed rows. */
  readonly beforeWrite: <One extends Resource>(
    resource: One,
    run: (write: BeforeWrite<RowOf<One>, Named>) => unknown,
    options?: BeforeWriteOptions,
  ) => Hook;
  /** `afterCommit`, with typed rows. */
  readonly afterCommit: <One extends Resource>(
    resource: One,
    name: string,
    run: (change: CommittedChange<RowOf<One>>, context: HandlerContext<Named>) => Promise<unknown>,
    options?: AfterCommitOptions,
  ) => Hook;
}

/**
 * `beforeWrite` and `afterCommit` with the rows of these resources, for the compiler:
 * `const { beforeWrite, afterCommit } = hooksFor([book, loan])`.
 */
export const hooksFor = <const Resources extends readonly Resource[]>(
  _resources: Resources,
): HookDeclarations<RowsOf<Resources>> =>
  // At run time rows are found by name, whatever the compiler knows of them.
  ({ beforeWrite, afterCommit }) as unknown as HookDeclarations<RowsOf<Resources>>;

const tooLong = (name: string, { resource, rowId }: Change): string =>
  `${deepest} changes have caused each other before this one of ${resource} ${rowId}: the hook "${name}" writes rows whose changes call it again, so this one is not handled`;
