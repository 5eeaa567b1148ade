import type { Command } from "commander";
import type { Columns, ItemOf } from "../print-list.ts";
import type { Terminal } from "../terminal.ts";
import { addListOfUsers } from "./list-of-users.ts";
import { addRevoke } from "./revoke.ts";

const columns: Columns<ItemOf<"grants.list">> = {
  id: "id",
  user: "user_id",
  client: "client_name",
  "client id": "client_id",
  scopes: ({ scopes }) => scopes.join(" "),
  "last used": "last_used_at",
  ends: "expires_at",
};

/** `postern grants …` */
export const addGrantCommands = (grants: Command, terminal: Terminal): void => {
  addListOfUsers(grants, terminal, { many: "grants", operation: "grants.list", columns });

  addRevoke(grants, terminal, { one: "grant", many: "grants", resource: "grants" });
};
