import { createInboxOf } from "./inbox.ts";
import type { Inbox, InboxParts } from "./inbox-parts.ts";

/** Makes an inbox, which receives webhooks. */
export const createInbox = (given: InboxParts): Inbox => createInboxOf(given);
