import { AppError, equals, type ResourceRepository, type Row } from "@postern/core";
import { timestampOf, uuidPattern } from "@postern/core/internal";
import { type EngineCall, marks, type Operation, principalOf, scopeFor, tableEntry } from "@postern/rest";
import { z } from "zod";
import { invalid } from "../invalid-value.ts";
import { grant } from "../resources/grant.ts";
import { wordsOf } from "../resources/stored-words.ts";

const noSuchGrant = (): AppError => new AppError("not_found", { detail: "There is no such grant." });

/** The grant that the path names, held until the transaction ends. @throws AppError `not_found` */
const heldGrant = async (resources: ResourceRepository, call: EngineCall): Promise<Row> => {
  const { id = "" } = call.params;
  const scope = scopeFor(principalOf(call), grant.access.update);
  await resources.hold(grant, { scope, where: equals("id", id) }, 1);
  const row = await resources.find(grant, id, scope);
  if (row === undefined) throw noSuchGrant();
  return row;
};

const narrowGrant = (): Operation =>
  tableEntry({
    id: "grants.narrow",
    method: "PUT",
    path: "/grants/{id}/scopes",
    access: "user",
    summary: "Leave a client fewer scopes than you allowed it; its tokens lose the others at once",
    confirm:
      "Leave the client of the grant {id} only these scopes? Its tokens lose the others at once, and only its user can allow them again.",
    tag: "grants",
    body: z
      .strictObject({
        scopes: z.array(z.string().max(64)).min(1).max(100).meta({
          description:
            "What it may still do: some of the scopes that the grant has. To allow more, authorize the client again.",
        }),
      })
      .meta({ [marks.example]: { scopes: ["posts:read"] } }),
    // The grant says which scopes can be chosen.
    checkedAfterSchema: ["invalid_value"],
    success: { status: 204, description: "Its tokens no longer work for other scopes." },
    errors: ["not_found"],
    handle: async (call) => {
      const { id = "" } = call.params;
      if (!uuidPattern.test(id)) throw noSuchGrant();
      const scopes = [...new Set(call.body.scopes)].toSorted();
      return call.write({ resource: grant.name, id, fields: ["scopes"] }, async ({ resources }) => {
        // The grant is locked. Otherwise, of two simultaneous requests, the later one could give
        // back scopes that the earlier one took away.
        const allowed = wordsOf((await heldGrant(resources, call)).scopes);
        const beyond = scopes.find((scope) => !allowed.includes(scope));
        if (beyond !== undefined) {
          const detail = `the grant does not have "${beyond}"; it has ${allowed.join(", ")}`;
          throw invalid("scopes", detail);
        }
        const scope = scopeFor(principalOf(call), grant.access.update);
        const changes = { scopes, updated_at: timestampOf(call.now()) };
        if ((await resources.update(grant, { id, scope }, changes)) !== "done") throw noSuchGrant();
        return { status: 204 };
      });
    },
  });

const endGrant = (): Operation =>
  tableEntry({
    id: "grants.delete",
    method: "DELETE",
    path: "/grants/{id}",
    access: "user",
    summary: "End a grant, which you gave to a client; its tokens end at once",
    confirm: "End the grant {id}? The tokens of its client end at once. This cannot be undone.",
    tag: "grants",
    success: { status: 204, description: "Its tokens are no longer accepted." },
    errors: ["not_found"],
    handle: async (call) => {
      const { id = "" } = call.params;
      if (!uuidPattern.test(id)) throw noSuchGrant();
      return call.write({ resource: grant.name, id }, async ({ resources }) => {
        const result = await resources.delete(grant, id, scopeFor(principalOf(call), grant.access.delete));
        if (result !== "done") throw noSuchGrant();
        return { status: 204 };
      });
    },
  });

/** What grants have beyond the standard list and read: their user narrows and ends them. */
export const grantOperations = (): readonly Operation[] => [narrowGrant(), endGrant()];
