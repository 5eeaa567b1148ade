import { allRows, type Resource } from "@postern/core";
import { timestampOf, uuidPattern } from "@postern/core/internal";
import { keysOfId } from "@postern/inbox/internal";
import { isAdmin, type Operation } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import { apiKey } from "../resources/api-key.ts";
import { client } from "../resources/client.ts";
import { session } from "../resources/session.ts";
import { user } from "../resources/user.ts";
import { type EventParts, senderNames } from "./event-filters.ts";
import { type Found, foundAnswer } from "./wire/found.ts";
import { storableText } from "./wire/texts.ts";

const readScope = {
  event: "events:read",
  job: "jobs:read",
  plan: "plans:read",
  cause: "causes:read",
  provider: "providers:read",
  user: "users:read",
  session: "sessions:read",
  api_key: "api-keys:read",
  client: "clients:read",
  audit_entries: "audit:read",
} as const satisfies Readonly<Record<Found["kind"], string>>;

/** So many events are answered that one sender's id may name. */
const mostEvents = 20;

type Looked = (text: string) => Promise<readonly Found[]>;

const events =
  (parts: EventParts): Looked =>
  async (text) => {
    const store = parts.ports.storage.events;
    const names = await senderNames(parts);
    const keys = names.flatMap((provider) => keysOfId(text).map((dedupeKey) => ({ provider, dedupeKey })));
    const own = /^[1-9]\d{0,14}$/.test(text) ? [Number(text)] : [];
    const ids = [...new Set([...own, ...(await store.holders(keys))])].slice(0, mostEvents);
    const found = ids.length === 0 ? [] : await store.list({ ids, limit: ids.length });
    return found.map(({ id, type = null, state, receivedAt }) => {
      return { kind: "event", id: String(id), title: type, state, at: timestampOf(receivedAt) };
    });
  };

const jobs =
  ({ ports: { storage } }: EventParts): Looked =>
  async (text) => {
    const job = /^[1-9]\d{0,14}$/.test(text) ? await storage.jobRecords.find(Number(text)) : undefined;
    if (job === undefined) return [];
    return [{ kind: "job", id: text, title: job.kind, state: job.state, at: timestampOf(job.createdAt) }];
  };

const causes =
  ({ ports: { storage } }: EventParts): Looked =>
  async (text) => {
    if (!/^[A-Za-z0-9]{12}$/.test(text)) return [];
    const [job] = await storage.jobRecords.list({ cause: text, limit: 1 });
    return job === undefined ? [] : [{ kind: "cause", id: text, title: job.kind, state: null, at: null }];
  };

const plans =
  ({ ports: { storage } }: EventParts): Looked =>
  async (text) => {
    const plan = uuidPattern.test(text) ? await storage.plans.find(text) : undefined;
    if (plan === undefined) return [];
    return [{ kind: "plan", id: text, title: plan.action, state: plan.state, at: timestampOf(plan.createdAt) }];
  };

const senders =
  (parts: EventParts): Looked =>
  async (text) =>
    (await senderNames(parts)).includes(text)
      ? [{ kind: "provider", id: text, title: text, state: null, at: null }]
      : [];

const rows =
  ({ ports: { storage } }: EventParts, kind: "user" | "session" | "api_key" | "client", resource: Resource): Looked =>
  async (text) => {
    const row = uuidPattern.test(text)
      ? await storage.resources.find(resource, text, allRows("search by id"))
      : undefined;
    if (row === undefined) return [];
    const title = row.name ?? row.device ?? null;
    return [{ kind, id: text, title: title === null ? null : String(title), state: null, at: String(row.created_at) }];
  };

const auditEntries =
  ({ ports: { storage } }: EventParts): Looked =>
  async (text) => {
    if (!uuidPattern.test(text)) return [];
    const [about, by] = await Promise.all([
      storage.audit.list({ resourceId: text, limit: 1 }),
      storage.audit.list({ actorId: text, limit: 1 }),
    ]);
    const entry = about[0] ?? by[0];
    if (entry === undefined) return [];
    return [{ kind: "audit_entries", id: text, title: entry.action, state: null, at: timestampOf(entry.at) }];
  };

/** What finds each kind of thing by an id. `accounts`: also those of other people. */
const lookups = (parts: EventParts, accounts: boolean): Partial<Readonly<Record<Found["kind"], Looked>>> => ({
  event: events(parts),
  job: jobs(parts),
  plan: plans(parts),
  cause: causes(parts),
  provider: senders(parts),
  ...(accounts
    ? {
        user: rows(parts, "user", user),
        session: rows(parts, "session", session),
        api_key: rows(parts, "api_key", apiKey),
        client: rows(parts, "client", client),
      }
    : {}),
  audit_entries: auditEntries(parts),
});

/** The operation that says what an id names, whatever kind of thing it is. */
export const findOperation = (parts: EventParts, users: boolean): Operation =>
  adminOperation({
    id: "admin.find",
    method: "GET",
    path: "/admin/find",
    scope: readScope.event,
    summary: "Say what an id names: an event, a job, a plan, a sender, a user, …",
    widerScopes: Object.fromEntries(
      Object.entries(readScope).flatMap(([kind, scope]) =>
        kind === "event" ? [] : [[scope, `what is found of the kind \`${kind}\``]],
      ),
    ),
    query: z.strictObject({
      id: storableText(256)
        .min(1)
        .meta({
          description: "An id of this server, a sender's own id of an event, or the name of a sender.",
          examples: ["evt_1PqfT2Lkdi8s2Xo0"],
        }),
    }),
    checkedAfterSchema: ["invalid_format"],
    success: { status: 200, description: "Everything that has this id.", body: foundAnswer },
    handle: async (call) => {
      // Everybody else sees the rows of their own account alone, and knows them.
      const accounts = users && isAdmin(call.principal);
      const looked = Object.entries(lookups(parts, accounts)).flatMap(([kind, look]) =>
        call.may(readScope[kind as Found["kind"]]) ? [look(call.query.id)] : [],
      );
      return { status: 200, body: { data: (await Promise.all(looked)).flat() } };
    },
  });
