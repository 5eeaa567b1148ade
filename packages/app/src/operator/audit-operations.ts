import type { Ports } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import type { AuditFilter, StoredAuditEntry } from "@postern/core/ports";
import type { Operation } from "@postern/rest";
import { z } from "zod";
import { given } from "./given-members.ts";
import { numberedList } from "./numbered.ts";
import { type entry, listedEntry } from "./wire/audit-entry.ts";
import { reveal } from "./wire/masking.ts";
import { nameText, storableText } from "./wire/texts.ts";
import { millisecondsOf, orDay } from "./wire/times.ts";

const present = (stored: StoredAuditEntry): z.infer<typeof entry> => ({
  id: String(stored.id),
  at: timestampOf(stored.at),
  actor: { kind: stored.actor.kind, id: stored.actor.kind === "anonymous" ? null : stored.actor.id },
  credential: stored.credential ?? null,
  action: stored.action,
  resource: stored.resource ?? null,
  resource_id: stored.resourceId ?? null,
  result: stored.result,
  request_id: stored.requestId,
  address: stored.address,
  fields: [...stored.fields],
  place: stored.seal?.place ?? null,
  digest: stored.seal?.digest ?? null,
  salt: stored.seal?.salt ?? null,
});

const instantOrDay = orDay(z.iso.datetime({ offset: true }));

const auditFilters = {
  "filter[actor]": storableText(128).meta({ description: "A user's id, or an operator's name." }),
  "filter[action]": nameText(64),
  "filter[reads]": z.enum(["true", "false"]).meta({
    description: `\`false\` leaves out the entries that only say who saw payloads or errors of handlers: \`${reveal}\`.`,
  }),
  "filter[resource]": nameText(64),
  "filter[resource_id]": nameText(64).meta({ description: "The id of the row or thing that was affected." }),
  "filter[at][gte]": instantOrDay.meta({ description: "Only entries from this time on." }),
  "filter[at][lt]": instantOrDay.meta({ description: "Before this moment." }),
};

const auditFilterOf = (filters: Readonly<Record<string, unknown>>): AuditFilter => {
  const asked = z.object(auditFilters).partial().parse(filters);
  return given({
    actorId: asked["filter[actor]"],
    action: asked["filter[action]"],
    otherThan: asked["filter[reads]"] === "false" ? [reveal] : undefined,
    resource: asked["filter[resource]"],
    resourceId: asked["filter[resource_id]"],
    since: millisecondsOf(asked["filter[at][gte]"]),
    until: millisecondsOf(asked["filter[at][lt]"]),
  });
};

/**
 * Who did what. These operations only read the log. Each entry is written in the transaction that
 * it describes.
 */
export const auditOperations = ({ storage: { audit } }: Pick<Ports, "storage">): readonly Operation[] => [
  numberedList<StoredAuditEntry>({
    id: "admin.audit.list",
    path: "/admin/audit",
    summary: "List what was done, by whom",
    item: listedEntry,
    name: "audit_entry",
    usualLines: 500,
    filters: auditFilters,
    checkedAfterSchema: ["invalid_format"],
    read: (filters, border) => audit.list({ ...auditFilterOf(filters), ...border }),
    count: (filters, atMost) => audit.count(auditFilterOf(filters), atMost),
    present: async (found) => found.map(present),
  }),
];
