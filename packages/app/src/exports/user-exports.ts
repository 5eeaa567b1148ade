import { allRows, equals, type NewJob, type Ports, type Resource, type Row } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import { scopeOf } from "@postern/core/ports";
import { defineJob, type HandlerContext, type JobHandler, newJob, type Schedule, schedule } from "@postern/jobs";
import type { AccountMail } from "../account/account-mail.ts";
import { userExport, userExportPiece } from "../resources/user-export.ts";
import type { Settings } from "../settings.ts";
import { ArchiveTooLarge, makeArchive } from "./archive.ts";
import { contextOf, hasPieces, holdPending, storePieces } from "./store-pieces.ts";

const system = allRows("exports of users' data");
const second = 1_000;
const minute = 60 * second;
const delaysMs = [5 * second, 30 * second, 5 * minute];
/** How many pieces are read at once: about 2 MiB. */
const piecesAtOnce = 10;
/** How many exports one transaction deletes. */
const deletedAtOnce = 10;

/** The reason of an export that failed because its job ended without an archive. */
const notMade = "The archive could not be made. Ask for another one.";
/**
 * How long an archive can be fetched, and how long one that failed is shown: until the user has read
 * the mail that tells of it, and no longer, because it holds all their data. The mail says it.
 */
export const archiveMs = 24 * 60 * minute;
/** The newest entries of the audit log that an archive holds. They take about half a megabyte. */
const mostAuditEntries = 2_000;
/** How many exports one run of the schedule looks at, oldest first. */
const pendingAtOnce = 500;

type ExportPorts = Pick<Ports, "storage" | "secretBox" | "ids" | "clock">;

/** The dependencies of the job and the schedule. */
export interface UserExportsParts {
  readonly ports: ExportPorts;
  readonly settings: Pick<Settings, "exportBytes">;
  /** Every resource of the application. */
  readonly resources: ReadonlyMap<string, Resource>;
  /** Tells users that their archives are ready. */
  readonly mail: Pick<AccountMail, "jobsFor">;
}

/** Makes, stores and deletes archives of users' data. */
export interface UserExports {
  readonly jobs: readonly JobHandler<{ exportId: string }>[];
  readonly schedules: readonly Schedule[];
  /** The job that makes an archive. Enqueue it with the row of the export. */
  jobFor(exportId: string): NewJob;
}

const oneJobFor = (exportId: string) => ({ key: `postern.user-export:${exportId}` });
/**
 * The archive of an export that is ready. @throws Error for pieces that were sealed under a key
 * that this process no longer has.
 */
export const readArchive = async (
  { storage, secretBox }: Pick<Ports, "storage" | "secretBox">,
  exportId: string,
): Promise<string> => {
  const texts: string[] = [];
  let after: readonly (string | number)[] | undefined;
  for (let count = piecesAtOnce; count === piecesAtOnce; ) {
    const pieces = await storage.resources.list(userExportPiece, {
      scope: system,
      where: equals("export_id", exportId),
      order: [
        { field: "place", direction: "asc" },
        { field: "id", direction: "asc" },
      ],
      limit: piecesAtOnce,
      ...(after === undefined ? {} : { after }),
    });
    for (const { place, sealed } of pieces) {
      texts.push(await secretBox.open(String(sealed), contextOf(exportId, Number(place))));
    }
    count = pieces.length;
    after = [Number(pieces.at(-1)?.place), String(pieces.at(-1)?.id)];
  }
  return texts.join("");
};

/** Deletes the exports that have expired with their pieces, and returns how many there were. */
const purgeExports = async ({ storage, clock }: ExportPorts, isOver: () => boolean): Promise<number> => {
  let deleted = 0;
  for (let count = deletedAtOnce; count === deletedAtOnce && !isOver(); ) {
    const expired = await storage.resources.list(userExport, {
      scope: system,
      where: { field: "expires_at", op: "lte", value: timestampOf(clock.now()) },
      order: [{ field: "id", direction: "asc" }],
      limit: deletedAtOnce,
      fields: ["id"],
    });
    for (const { id } of expired) await storage.resources.delete(userExport, String(id), system);
    count = expired.length;
    deleted += count;
  }
  return deleted;
};

/** Marks an export as failed, if it is still pending. */
const failExport = async ({ ports }: UserExportsParts, id: string, reason: string): Promise<void> => {
  const now = ports.clock.now();
  const changes = {
    state: "failed",
    reason,
    expires_at: timestampOf(now + archiveMs),
    updated_at: timestampOf(now),
  };
  // Another run of the job may have made it.
  const scope = scopeOf(equals("state", "pending"));
  await ports.storage.resources.update(userExport, { id, scope }, changes);
};

/**
 * Makes the archive of a pending export. Its pieces are stored first, and the export becomes ready
 * within the transaction that ends the job.
 */
const makeExport = async (
  { ports, settings, resources, mail }: UserExportsParts,
  asked: Row,
  { signal, commit }: Pick<HandlerContext, "signal" | "commit">,
): Promise<void> => {
  const { exportBytes: mostBytes } = settings;
  const id = String(asked.id);
  const userId = String(asked.user_id);
  const archive = await makeArchive({ ports, resources, mostBytes, mostAuditEntries }, userId, signal);
  if (archive === undefined) return;
  const now = ports.clock.now();
  const told = await mail.jobsFor({ about: "export", userId });
  const pieces = await storePieces(ports, asked, { text: archive.text, at: timestampOf(now), signal });
  if (pieces === undefined) return;
  await commit(async (_rows, stores) => {
    if (!(await holdPending(stores.resources, id))) return;
    if (!(await hasPieces(stores.resources, id, pieces)))
      throw new Error("another run of this job changed the archive");
    const until = timestampOf(now + archiveMs);
    const changes = { state: "ready", bytes: archive.bytes, expires_at: until, updated_at: timestampOf(now) };
    await stores.resources.update(userExport, { id, scope: system }, changes);
    if (told.length > 0) await stores.jobs.enqueue(told, now);
  });
};

const tooLarge = (mostBytes: number): string =>
  `The archive would be longer than ${mostBytes} bytes. Read your data from its lists, or ask the operator of this server to raise http.memoryLimitBytes.`;

/**
 * Archives of users' data. A job makes each: one at a time over all processes, since an archive is
 * in memory until its pieces are stored.
 */
export const userExports = (parts: UserExportsParts): UserExports => {
  const { ports, settings } = parts;
  const { storage, clock } = ports;

  const job = defineJob<{ exportId: string }>(
    "postern.user-export",
    async ({ exportId }, context) => {
      const asked = await storage.resources.find(userExport, exportId, system);
      // The user was deleted, or an earlier run has already ended this export.
      if (asked?.state !== "pending") return;
      try {
        await makeExport(parts, asked, context);
      } catch (thrown) {
        if (thrown instanceof ArchiveTooLarge) {
          await failExport(parts, exportId, tooLarge(settings.exportBytes));
          return;
        }
        if (context.attempt > delaysMs.length) await failExport(parts, exportId, notMade);
        throw thrown;
      }
    },
    { retry: { delaysMs }, timeoutMs: 5 * minute, onRetry: "yield" },
  );

  /**
   * This job has the unique key of the job that makes the archive, so it is stored only after that
   * job has ended.
   */
  const failing = defineJob<{ exportId: string }>(
    "postern.fail-user-export",
    ({ exportId }) => failExport(parts, exportId, notMade),
    { onRetry: "yield" },
  );

  const pending = async (limit: number) => {
    const where = equals("state", "pending");
    const order = [{ field: "id", direction: "asc" }] as const;
    return storage.resources.list(userExport, { scope: system, where, order, limit, fields: ["id"] });
  };

  /**
   * Marks exports as failed whose jobs have ended without an archive: a process may have crashed,
   * or the job was cancelled.
   */
  const failAbandoned = async (): Promise<void> => {
    const jobs = (await pending(pendingAtOnce)).map(({ id }) =>
      newJob(failing, { exportId: String(id) }, { unique: oneJobFor(String(id)) }),
    );
    if (jobs.length > 0) await storage.jobs.enqueue(jobs, clock.now());
  };

  return {
    jobs: [job, failing],
    schedules: [
      {
        ...schedule("postern.fail-user-exports", "*/5 * * * *", failAbandoned, { missed: "skip" }),
        isNeeded: async () => (await pending(1)).length > 0,
      },
      schedule("postern.purge-user-exports", "37 * * * *", async (_due, { log, signal }) => {
        const deleted = await purgeExports(ports, () => signal.aborted);
        if (deleted > 0) log("info", "deleted exports that had expired", { exports: deleted });
      }),
    ],
    jobFor: (exportId) => newJob(job, { exportId }, { orderKey: "postern.user-export", unique: oneJobFor(exportId) }),
  };
};
