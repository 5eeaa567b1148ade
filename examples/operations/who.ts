import { defineOperation, z } from "@postern/server";

/** Says who calls: `GET /who`. */
export const who = defineOperation({
  id: "who",
  method: "GET",
  path: "/who",
  summary: "Say who calls",
  access: "public",
  output: z.object({ user: z.string().nullable(), role: z.string(), credential: z.string() }),
  handle: async ({ caller }) => {
    if (caller === undefined) return { user: null, role: "none", credential: "none" };
    return { user: caller.userId, role: caller.role, credential: caller.credential.kind };
  },
});
