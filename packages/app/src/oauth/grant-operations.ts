import { AppError } from "@postern/core";
import { uuidPattern } from "@postern/core/parts";
import { defineOperation, type Operation, principalOf, scopeFor } from "@postern/rest";
import { grant } from "../resources/grant.ts";

/** What grants have beyond the standard list and read: their user ends them. */
export const grantOperations = (): readonly Operation[] => [
  defineOperation({
    id: "grants.delete",
    method: "DELETE",
    path: "/grants/{id}",
    access: "user",
    summary: "End what you allowed a client; its tokens end at once",
    tag: "grants",
    success: { status: 204, description: "No request with a token of it is taken any more." },
    errors: ["not_found"],
    handle: async (call) => {
      const { id = "" } = call.params;
      const noSuchGrant = new AppError("not_found", { detail: "There is no such grant." });
      if (!uuidPattern.test(id)) throw noSuchGrant;
      return call.write({ resource: grant.name, id }, async ({ resources }) => {
        const result = await resources.delete(grant, id, scopeFor(principalOf(call), grant.access.delete));
        if (result !== "done") throw noSuchGrant;
        return { status: 204 };
      });
    },
  }),
];
