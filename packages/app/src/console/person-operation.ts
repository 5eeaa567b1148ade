import { AppError, allRows, type Ports } from "@postern/core";
import { type Operation, principalOf, tableEntry } from "@postern/rest";
import { z } from "zod";
import { user } from "../resources/user.ts";

const person = z
  .object({
    id: z.uuid(),
    name: z.string(),
    email: z.string(),
    role: z.string(),
    second_factor_at: z.iso.datetime().nullable(),
    scopes: z.array(z.string()).meta({
      description:
        "The scopes of operations below `/admin` that your role allows. Some take effect only with a second factor.",
    }),
  })
  .meta({
    examples: [
      {
        id: "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
        name: "Grace Hopper",
        email: "grace@example.com",
        role: "operator",
        second_factor_at: null,
        scopes: ["events:read", "events:replay"],
      },
    ],
  });

const fields = ["id", "name", "email", "role", "second_factor_at"];

/**
 * Says who has signed in, and what they may do. The console asks for that before anything else, so it
 * belongs to the operators' part, which no version of an application changes.
 */
export const personOperation = ({ storage }: Pick<Ports, "storage">, scopes: () => readonly string[]): Operation =>
  tableEntry({
    id: "admin.me",
    method: "GET",
    path: "/admin/me",
    access: "user",
    scope: "users:read",
    signIn: true,
    tag: "admin",
    summary: "Say who has signed in, and what they may do",
    success: { status: 200, description: "You.", body: person },
    errors: ["not_found"],
    handle: async (call) => {
      const principal = principalOf(call);
      const id = principal.kind === "user" ? principal.userId : undefined;
      const account = id && (await storage.resources.find(user, id, allRows("who has signed in"), fields));
      if (!account) throw new AppError("not_found", { detail: "Who calls has no account." });
      const { name, email, role, second_factor_at = null } = account;
      return {
        status: 200,
        body: { id, name, email, role, second_factor_at, scopes: scopes().filter((scope) => call.may(scope)) },
      };
    },
  });
