import { addColumn, type Migration } from "./migration.ts";

/**
 * `webhook_providers.allow_short` is 1 if secrets under 16 bytes are accepted. Existing senders
 * keep their secrets, so they get 1. New ones are stored with 0.
 */
export const addAllowShort: Migration = {
  name: "0014-add-allow-short",
  part: "inbox",
  up: (types) =>
    addColumn(types, "webhook_providers", { name: "allow_short", type: `${types.boolean} NOT NULL DEFAULT 1` }),
  down: () => ["ALTER TABLE `webhook_providers` DROP COLUMN `allow_short`"],
};
