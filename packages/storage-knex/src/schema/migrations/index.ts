import { createBase } from "./create-base.ts";
import { createInbox } from "./create-inbox.ts";
import { createPosts } from "./create-posts.ts";
import { createUsers } from "./create-users.ts";
import type { Migration } from "./migration.ts";

/**
 * The schema's history, oldest first. A new step is a file here and a line in this table. Every
 * database takes the first step.
 */
export const migrations: readonly Migration[] = [createBase, createUsers, createPosts, createInbox];
