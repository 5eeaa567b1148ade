import type { Command } from "commander";
import type { Columns, ItemOf } from "../print-list.ts";
import type { Terminal } from "../terminal.ts";
import { addListOfUsers } from "./list-of-users.ts";
import { addRevoke } from "./revoke.ts";

const columns: Columns<ItemOf<"sessions.list">> = {
  id: "id",
  user: "user_id",
  device: "device",
  address: "address",
  "last used": "last_used_at",
  ends: "expires_at",
};

/** `postern sessions …` */
export const addSessionCommands = (sessions: Command, terminal: Terminal): void => {
  addListOfUsers(sessions, terminal, { many: "sessions", operation: "sessions.list", columns });

  addRevoke(sessions, terminal, { one: "session", many: "sessions", resource: "sessions" });
};
