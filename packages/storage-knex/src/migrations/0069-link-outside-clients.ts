import { addColumn, type Migration } from "./migration.ts";

/** The client that a program at an outside issuer acts as; null for the account of a person. */
export const linkOutsideClients: Migration = {
  name: "0069-link-outside-clients",
  part: "users",
  up: (types) => addColumn(types, "outside_identities", { name: "client_id", type: `${types.text(36)} NULL` }),
  down: () => ["ALTER TABLE outside_identities DROP COLUMN client_id"],
};
