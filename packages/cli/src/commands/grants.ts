import type { Command } from "commander";
import { z } from "zod";
import type { Columns } from "../print-list.ts";
import type { Terminal } from "../terminal.ts";
import { addListOfUsers } from "./list-of-users.ts";
import { addRevoke } from "./revoke.ts";

const shownGrant = z.looseObject({
  id: z.string(),
  user_id: z.string(),
  client_id: z.string(),
  client_name: z.string(),
  scopes: z.array(z.string()),
  last_used_at: z.string(),
  expires_at: z.string(),
});

const columns: Columns<z.infer<typeof shownGrant>> = {
  id: ({ id }) => id,
  user: ({ user_id }) => user_id,
  client: ({ client_name }) => client_name,
  "client id": ({ client_id }) => client_id,
  scopes: ({ scopes }) => scopes.join(" "),
  "last used": ({ last_used_at }) => last_used_at,
  ends: ({ expires_at }) => expires_at,
};

/** `postern grants …` */
export const addGrantCommands = (grants: Command, terminal: Terminal): void => {
  addListOfUsers(grants, terminal, { many: "grants", operation: "grants.list", item: shownGrant, columns });

  addRevoke(grants, terminal, { one: "grant", many: "grants", resource: "grants" });
};
