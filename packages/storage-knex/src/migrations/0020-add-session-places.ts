import { addColumn, type Migration } from "./migration.ts";

/** The program and the address from which a session was last used. */
export const addSessionPlaces: Migration = {
  name: "0020-add-session-places",
  part: "users",
  up: (types) =>
    ["device", "address"].flatMap((name) => addColumn(types, "sessions", { name, type: `${types.text(64)} NULL` })),
  down: () => ["address", "device"].map((column) => `ALTER TABLE sessions DROP COLUMN ${column}`),
};
