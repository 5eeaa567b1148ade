import { AppError, allRows, equals, type Ports, type ResourceRepository, type Row } from "@postern/core";
import { timestampOf, uuidPattern } from "@postern/core/internal";
import { type EngineCall, idOf, marks, type Operation, principalOf, tableEntry } from "@postern/rest";
import { z } from "zod";
import { type AccountMail, enqueuing } from "../account/account-mail.ts";
import { user } from "../resources/user.ts";
import { exportStates, userExport } from "../resources/user-export.ts";
import { currentPassword, requirePresence } from "../sign-in/recent-sign-in.ts";
import { archiveMs, readArchive, type UserExports } from "./user-exports.ts";

const system = allRows("exports of users' data");
/**
 * The exports that a user can ask for within the life of one, which is a day. Each reads all their
 * data.
 */
const mostExports = 3;

/** The dependencies of these operations. */
export interface ExportParts {
  readonly ports: Pick<Ports, "storage" | "passwordHasher" | "secretBox" | "wakeup" | "alerts">;
  readonly mail: AccountMail;
  readonly exports: UserExports;
}

const moment = z.string().meta({ format: "date-time" });

const exportSchema = z
  .object({
    id: z.string(),
    state: z.enum(exportStates).meta({ description: "`pending`: it is being made; `ready`: fetch the archive." }),
    reason: z.string().nullable().meta({ description: "Why it failed, and what to do; null otherwise." }),
    bytes: z.int().min(0).nullable().meta({ description: "How long the archive is; null until it is ready." }),
    created_at: moment,
    expires_at: moment.meta({ description: "When it is deleted." }),
  })
  .meta({
    id: "user_export",
    examples: [
      {
        id: "019a5e32-6d8b-7c71-a0f3-9e2b4d6f8a1c",
        state: "ready",
        reason: null,
        bytes: 48_213,
        created_at: "2026-11-21T08:30:00.000Z",
        expires_at: "2026-11-24T08:30:00.000Z",
      },
    ],
  });

const row = z.record(z.string(), z.unknown());

const archiveSchema = z
  .object({
    made_at: moment,
    user: row.meta({ description: "The profile." }),
    resources: z
      .record(z.string(), z.array(row))
      .meta({ description: "What you own and may read, by resource: `posts`, `sessions`, `api_keys` …" }),
    outside_identities: z.array(row).meta({ description: "Accounts at outside issuers that are linked to yours." }),
    audit: z.object({
      entries: z.array(row).meta({ description: "What you did, newest first; the newest 2,000 entries." }),
      complete: z.boolean().meta({ description: "False if there are older entries, too." }),
    }),
  })
  .meta({
    id: "user_archive",
    examples: [
      {
        made_at: "2026-11-21T08:30:02.000Z",
        user: { id: "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a", name: "Ada Lovelace", email: "ada@example.com" },
        resources: { posts: [{ id: "019a5e2e-90b2-7d15-a3f4-c17d0e6b8a92", title: "On the Analytical Engine" }] },
        outside_identities: [],
        audit: {
          entries: [{ at: "2026-11-21T08:29:40.000Z", action: "posts.create", result: "done" }],
          complete: true,
        },
      },
    ],
  });

const present = ({ id, state, reason, bytes, created_at, expires_at }: Row) => ({
  id,
  state,
  reason,
  bytes,
  created_at,
  expires_at,
});

/**
 * The caller's own id. @throws AppError `not_found` for any other id: users get only their own
 * archive.
 */
const ownId = (call: EngineCall): string => {
  const principal = principalOf(call);
  const id = idOf(user, call, "id");
  if (principal.kind === "user" && principal.userId === id) return id;
  throw new AppError("not_found", { detail: "There is no such user whose data you can export." });
};

/** The export that the path names, unless it has expired. @throws AppError `not_found` */
const exportOf = async (resources: ResourceRepository, call: EngineCall): Promise<Row> => {
  const userId = ownId(call);
  const { exportId = "" } = call.params;
  const found = uuidPattern.test(exportId) ? await resources.find(userExport, exportId, system) : undefined;
  if (found?.user_id === userId && String(found.expires_at) > timestampOf(call.now())) return found;
  throw new AppError("not_found", { detail: "There is no such export, or it has expired; ask for another one." });
};

/**
 * Refuses a user who has asked too often. It locks the user's row, so that simultaneous requests
 * are counted one after the other.
 * @throws AppError `state_conflict` while one is being made; `rate_limited` after three in a day.
 */
const requireFewerExports = async (resources: ResourceRepository, userId: string, now: number): Promise<void> => {
  const held = await resources.hold(user, { scope: system, where: equals("id", userId) }, 1);
  if (held.length === 0) throw new AppError("not_found", { detail: "There is no such user." });
  const live = { field: "expires_at", op: "gt", value: timestampOf(now) } as const;
  const recent = await resources.list(userExport, {
    scope: system,
    where: { all: [equals("user_id", userId), live] },
    order: [
      { field: "created_at", direction: "asc" },
      { field: "id", direction: "asc" },
    ],
    limit: mostExports,
  });
  const pending = recent.find(({ state }) => state === "pending");
  if (pending !== undefined) {
    throw new AppError("state_conflict", { detail: `The export ${String(pending.id)} is being made; wait for it.` });
  }
  if (recent.length < mostExports) return;
  const seconds = Math.ceil((Date.parse(String(recent[0]?.expires_at)) - now) / 1000);
  throw new AppError("rate_limited", {
    detail: `You can ask for ${mostExports} exports a day; fetch one that is there, or wait.`,
    headers: { "retry-after": String(Math.max(1, seconds)) },
  });
};

const createExport = ({ ports, mail, exports }: ExportParts): Operation =>
  tableEntry({
    id: "exports.create",
    method: "POST",
    path: "/users/{id}/exports",
    access: "user",
    scope: "users:read",
    signIn: true,
    summary: "Ask for an archive of your data",
    tag: "account",
    body: z.strictObject({ current_password: currentPassword }).meta({ [marks.example]: {} }),
    bodyOptional: true,
    success: {
      status: 202,
      description: "The archive is being made. `Location` leads to its state.",
      body: exportSchema,
      located: true,
    },
    errors: ["not_found", "state_conflict", "rate_limited", "sign_in_too_old", "invalid_credentials", "overloaded"],
    handle: async (call) => {
      const userId = ownId(call);
      await requirePresence(ports, call, call.body.current_password);
      const id = call.newId();
      const now = call.now();
      const at = timestampOf(now);
      const made: Row = {
        id,
        user_id: userId,
        state: "pending",
        reason: null,
        bytes: null,
        expires_at: timestampOf(now + archiveMs),
        created_at: at,
        updated_at: at,
      };
      const notices = await mail.noticesFor(call, userId, ["export"]);
      const starting = enqueuing(call, ports, async () => [...notices, exports.jobFor(id)]);
      return starting.write({ resource: userExport.name, id }, async ({ resources }) => {
        await requireFewerExports(resources, userId, now);
        await resources.insert(userExport, made);
        const location = `${call.request.base}/users/${userId}/exports/${id}`;
        return { status: 202, headers: { location }, body: present(made) };
      });
    },
  });

const readExport = ({ ports }: ExportParts): Operation =>
  tableEntry({
    id: "exports.read",
    method: "GET",
    path: "/users/{id}/exports/{exportId}",
    access: "user",
    scope: "users:read",
    signIn: true,
    summary: "See the state of an export of your data",
    tag: "account",
    success: { status: 200, description: "The export.", body: exportSchema },
    errors: ["not_found"],
    handle: async (call) => ({ status: 200, body: present(await exportOf(ports.storage.resources, call)) }),
  });

const readExportArchive = ({ ports }: ExportParts): Operation =>
  tableEntry({
    id: "exports.read-archive",
    method: "GET",
    path: "/users/{id}/exports/{exportId}/archive",
    access: "user",
    scope: "users:read",
    signIn: true,
    summary: "Fetch the archive of an export, within 24 hours",
    tag: "account",
    success: { status: 200, description: "The archive of your data.", body: archiveSchema },
    errors: ["not_found", "state_conflict", "overloaded"],
    handle: async (call) => {
      const { storage } = ports;
      const { id, state, bytes, created_at } = await exportOf(storage.resources, call);
      if (state === "pending") {
        throw new AppError("state_conflict", { detail: "The archive is being made; try again in a moment." });
      }
      if (state === "failed") {
        throw new AppError("state_conflict", { detail: "The archive could not be made; the export says why." });
      }
      await call.memory.forTexts(Number(bytes));
      const text = await readArchive(ports, String(id));
      await call.note(storage.audit, { resource: userExport.name, id: String(id) });
      const name = `export-${String(created_at).slice(0, 10)}.json`;
      return {
        status: 200,
        headers: {
          "content-type": "application/json",
          "content-disposition": `attachment; filename="${name}"`,
          "cache-control": "no-store",
        },
        text,
      };
    },
  });

/** Operations with which users ask for an archive of their data and fetch it. */
export const exportOperations = (parts: ExportParts): readonly Operation[] => [
  createExport(parts),
  readExport(parts),
  readExportArchive(parts),
];
