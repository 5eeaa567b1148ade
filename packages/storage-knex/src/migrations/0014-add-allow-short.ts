import { addColumn, type Migration } from "./migration.ts";

/**
 * `webhook_providers.allow_short`: whether secrets under 16 bytes are accepted. Senders that were
 * stored before keep the secret they have, so the column begins with 1; new ones are stored with 0.
 */
export const addAllowShort: Migration = {
  name: "0014-add-allow-short",
  part: "inbox",
  up: (types) =>
    addColumn(types, "webhook_providers", { name: "allow_short", type: `${types.boolean} NOT NULL DEFAULT 1` }),
  down: () => ["ALTER TABLE `webhook_providers` DROP COLUMN `allow_short`"],
};
