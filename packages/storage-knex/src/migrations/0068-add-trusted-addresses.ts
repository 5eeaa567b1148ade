import { addColumn, type Migration } from "./migration.ts";

/** The address that an account got because an outside issuer was trusted, without a proof. */
export const addTrustedAddresses: Migration = {
  name: "0068-add-trusted-addresses",
  part: "users",
  up: (types) => addColumn(types, "users", { name: "trusted_email", type: `${types.text(254)} NULL` }),
  down: () => ["ALTER TABLE users DROP COLUMN trusted_email"],
};
