import { createResources } from "./0001-create-resources.ts";
import { createInbox } from "./0002-create-inbox.ts";
import { createRateLimit } from "./0003-create-rate-limit.ts";
import type { Migration } from "./migration.ts";

/** The schema's history, oldest first. A new step is a file here and a line in this table. */
export const migrations: readonly Migration[] = [createResources, createInbox, createRateLimit];
