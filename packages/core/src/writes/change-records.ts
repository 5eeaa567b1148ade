import type { Resource } from "../model/resource.ts";
import { timestampOf } from "../model/text.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { NewJob } from "../ports/job.ts";
import type { Row } from "../ports/resource-repository.ts";
import type { Origin } from "../ports/storage.ts";
import { utf8Encode } from "../runtime.ts";
import { type Change, changedFields, readableRow } from "./change.ts";

/** Somebody who wants jobs for the changes of a resource. */
export interface ChangeListener {
  /** The name of the resource. */
  readonly resource: string;
  /** The kind of jobs that know how many changes have led to them. A change that one makes continues their depth. */
  readonly kind?: string;
  /**
   * The jobs of a change, at most one of each kind. They are stored in its transaction. `depth`: how many
   * changes have led to this one, itself included.
   */
  jobsFor(change: Change, depth: number, origin: Origin): readonly NewJob[] | Promise<readonly NewJob[]>;
}

/** The longest change that a job keeps whole, in bytes of JSON. */
const mostBytes = 48 * 1024;

const withoutRows = (change: Change): Change =>
  utf8Encode(JSON.stringify(change)).length <= mostBytes ? change : { ...change, before: null, row: null };

/** What a transaction has made of a row so far. */
interface Noted {
  readonly resource: Resource;
  readonly id: string;
  readonly rowId: string;
  readonly before: Row | undefined;
  row: Row | undefined;
}

/** How many changes have led to those of this job's run. */
export const depthOf = (kinds: ReadonlySet<string>, { job }: Origin): number => {
  if (job === undefined || !kinds.has(job.kind)) return 0;
  const { depth } = Object(job.payload);
  return Number.isSafeInteger(depth) ? depth : 0;
};

/** Collects the changes of one transaction: one for each row. */
export class ChangeRecords {
  readonly #parts: { readonly ids: Pick<Ids, "uuid">; readonly clock: Pick<Clock, "now"> };
  readonly #origin: Origin;
  readonly #rows = new Map<string, Noted>();

  constructor(parts: { readonly ids: Pick<Ids, "uuid">; readonly clock: Pick<Clock, "now"> }, origin: Origin) {
    this.#parts = parts;
    this.#origin = origin;
  }

  /** Notes one write. Returns what the transaction has made of the row; `undefined` if that is nothing. */
  note(resource: Resource, before: Row | undefined, row: Row | undefined): Change | undefined {
    const rowId = String((row ?? before)?.id);
    const key = `${resource.name} ${rowId}`;
    const noted = this.#rows.get(key) ?? { resource, id: this.#parts.ids.uuid(), rowId, before, row };
    noted.row = row;
    this.#rows.set(key, noted);
    return this.#changeOf(noted);
  }

  /** The id of the change of a row that was noted before. */
  idOf(resource: Resource, rowId: string): string | undefined {
    return this.#rows.get(`${resource.name} ${rowId}`)?.id;
  }

  /** Every row that the transaction has changed, in the order in which it first wrote them. */
  all(): readonly Change[] {
    return [...this.#rows.values()].flatMap((noted) => this.#changeOf(noted) ?? []);
  }

  #changeOf({ resource, id, rowId, before, row }: Noted): Change | undefined {
    if (before === undefined && row === undefined) return undefined;
    const changed = changedFields(resource, before, row);
    if (before !== undefined && row !== undefined && changed.length === 0) return undefined;
    const { caller = null, request = null } = this.#origin;
    return withoutRows({
      id,
      resource: resource.name,
      rowId,
      kind: before === undefined ? "create" : row === undefined ? "delete" : "update",
      at: timestampOf(this.#parts.clock.now()),
      caller,
      request,
      changed,
      before: before === undefined ? null : readableRow(resource, before),
      row: row === undefined ? null : readableRow(resource, row),
    });
  }
}
