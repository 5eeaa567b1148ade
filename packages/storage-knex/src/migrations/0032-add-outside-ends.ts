import { addColumn, type Migration } from "./migration.ts";

/**
 * Says whether the link to an outside account was ended. Ended links stay, so that no token creates
 * them again.
 */
export const addOutsideEnds: Migration = {
  name: "0032-add-outside-ends",
  part: "users",
  up: (types) =>
    addColumn(types, "outside_identities", { name: "state", type: `${types.ascii(64)} NOT NULL DEFAULT 'linked'` }),
  down: () => ["ALTER TABLE outside_identities DROP COLUMN state"],
};
