import { allRows, type Resource } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import { type Schedule, schedule } from "@postern/jobs";
import { grant } from "../resources/grant.ts";
import { session } from "../resources/session.ts";
import { noSuccessor, type SuccessorPorts, sharedTime } from "./successor.ts";

const system = allRows("successors of refresh tokens");
const dayMs = 86_400_000;
/** How many rows one transaction changes. Other writers wait while it runs. */
const batch = 100;

/**
 * Erases the successors that are no longer given again. Sessions and grants that are refreshed
 * meanwhile keep the new one.
 */
export const successorSchedule = (ports: SuccessorPorts): Schedule => ({
  ...schedule(
    "postern.erase-successors",
    "*/5 * * * *",
    async (_due, { signal }) => {
      const now = timestampOf(await sharedTime(ports));
      for (const resource of [session, grant]) {
        while (!signal.aborted && (await eraseSome(ports, resource, now)) === batch);
      }
    },
    { missed: "skip" },
  ),
  isNeeded: () => hasSome(ports),
});

const outBy = (now: string) => ({ field: "successor_until", op: "lte", value: now }) as const;

/** One transaction, because an idle server asks, too. This process's clock may be wrong by hours. */
const hasSome = ({ storage, clock }: SuccessorPorts): Promise<boolean> =>
  storage.transaction(async ({ resources }) => {
    const where = outBy(timestampOf(clock.now() + dayMs));
    const order = [{ field: "id", direction: "asc" }] as const;
    for (const resource of [session, grant]) {
      const found = await resources.list(resource, { scope: system, where, order, limit: 1, fields: ["id"] });
      if (found.length > 0) return true;
    }
    return false;
  });

const eraseSome = ({ storage }: SuccessorPorts, resource: Resource, now: string): Promise<number> =>
  storage.transaction(async ({ resources }) => {
    const where = outBy(now);
    const ids = await resources.hold(resource, { scope: system, where }, batch);
    for (const id of ids) await resources.update(resource, { id, scope: system }, noSuccessor);
    return ids.length;
  });
