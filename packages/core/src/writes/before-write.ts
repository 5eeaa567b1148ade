import { AppError } from "../errors/app-error.ts";
import { Refused } from "../errors/refused.ts";
import { parseBody } from "../errors/schema-faults.ts";
import type { Caller } from "../model/caller.ts";
import type { Resource } from "../model/resource.ts";
import { timestampOf } from "../model/text.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { ResourceRepository, Row } from "../ports/resource-repository.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import { changeSchema, givenValues, serverSet } from "../resources/row-store.ts";
import type { HeldReadsOf } from "../resources/row-types.ts";
import { createHeldReads, type Rows } from "../resources/rows.ts";
import { furtherValues } from "../resources/written-values.ts";
import { changedFields, readableRow } from "./change.ts";
import type { AnsweredWrite, AskedWrite } from "./open-writes.ts";

/** A write that somebody asked for, as a hook sees it before it is made. */
export interface BeforeWrite<Of = Row, Named = Rows> {
  /** The user who asks for it; `null` if it is the application itself, or a person at the command line. */
  readonly caller: Caller | null;
  /** The row as it is stored, without digests and fields that nobody reads; `null` for a new one. */
  readonly before: Of | null;
  /** The row as it becomes, in the same form; `null` for a deletion. */
  readonly row: Of | null;
  /** The fields that get another value. */
  readonly changed: readonly string[];
  /**
   * The rows of all resources, as the transaction of the write sees them. They only read. With
   * `{ hold: true }` nobody else changes the row until the transaction ends: hold the row by which you
   * count, or two writes at once each see room for one.
   */
  readonly rows: HeldReadsOf<Named>;
}

/** A hook before the writes of one resource. */
export interface BeforeWriteHook {
  readonly name: string;
  /** The name of the resource. */
  readonly resource: string;
  /** Returns nothing, or values to change. */
  run(write: BeforeWrite): Promise<unknown>;
}

/** A hook holds the transaction, and on SQLite all other writers, so it gets no more than this. */
const mostMs = 1_000;

interface Parts {
  readonly clock: Pick<Clock, "after" | "now">;
  readonly telemetry: Pick<Telemetry, "log">;
  readonly resources: readonly Resource[];
  readonly ids: Ids;
}

class TooSlow extends Error {
  override readonly name = "TooSlow";
}

/** Asks the hooks before the writes of all resources. */
export const createBeforeWrites = (parts: Parts, hooks: readonly BeforeWriteHook[]) => {
  const { clock, telemetry } = parts;
  const readsIn = createHeldReads(parts.resources, parts.ids);
  const ofResource = new Map<string, BeforeWriteHook[]>();
  for (const hook of hooks) ofResource.set(hook.resource, [...(ofResource.get(hook.resource) ?? []), hook]);

  const inTime = async (hook: BeforeWriteHook, write: BeforeWrite): Promise<unknown> => {
    let cancel: (() => void) | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      cancel = clock.after(mostMs, () => reject(new TooSlow(`it took longer than ${mostMs} ms`)));
    });
    try {
      return await Promise.race([hook.run(write), late]);
    } finally {
      cancel?.();
    }
  };

  return {
    asks: (resource: Resource): boolean => ofResource.has(resource.name),
    ask: async (
      tx: ResourceRepository,
      resource: Resource,
      { stored, row }: AskedWrite,
      caller: Caller | null,
    ): Promise<AnsweredWrite> => {
      let next = row;
      let more: Row = {};
      for (const hook of ofResource.get(resource.name) ?? []) {
        const changed = changedFields(resource, stored, next);
        if (stored !== undefined && next !== undefined && changed.length === 0) break;
        const write: BeforeWrite = {
          caller,
          before: stored === undefined ? null : readableRow(resource, stored),
          row: next === undefined ? null : readableRow(resource, next),
          changed,
          rows: readsIn(tx),
        };
        try {
          const returned = await inTime(hook, write);
          if (returned === undefined || returned === null) continue;
          if (next === undefined)
            throw new TypeError("a deletion has no values to change: return nothing, or refuse it");
          const values = parseBody(changeSchema(resource), givenValues(Object(returned)), serverSet);
          const further = furtherValues(resource, values, { stored, row: next, now: timestampOf(clock.now()) });
          next = { ...next, ...further };
          more = { ...more, ...further };
        } catch (thrown) {
          if (thrown instanceof Refused) throw thrown;
          telemetry.log("error", "a hook before a write failed", { hook: hook.name, resource: resource.name }, thrown);
          throw new AppError("hook_failed", { cause: thrown });
        }
      }
      return { row: next ?? {}, more };
    },
  };
};

export type BeforeWrites = ReturnType<typeof createBeforeWrites>;
