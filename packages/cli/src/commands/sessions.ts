import type { Command } from "commander";
import { z } from "zod";
import type { Columns } from "../print-list.ts";
import type { Terminal } from "../terminal.ts";
import { addListOfUsers } from "./list-of-users.ts";
import { addRevoke } from "./revoke.ts";

const shownSession = z.looseObject({
  id: z.string(),
  user_id: z.string(),
  device: z.string().nullable(),
  address: z.string().nullable(),
  last_used_at: z.string(),
  expires_at: z.string(),
});

const columns: Columns<z.infer<typeof shownSession>> = {
  id: ({ id }) => id,
  user: ({ user_id }) => user_id,
  device: ({ device }) => device,
  address: ({ address }) => address,
  "last used": ({ last_used_at }) => last_used_at,
  ends: ({ expires_at }) => expires_at,
};

/** `postern sessions …` */
export const addSessionCommands = (sessions: Command, terminal: Terminal): void => {
  addListOfUsers(sessions, terminal, { many: "sessions", operation: "sessions.list", item: shownSession, columns });

  addRevoke(sessions, terminal, { one: "session", many: "sessions", resource: "sessions" });
};
