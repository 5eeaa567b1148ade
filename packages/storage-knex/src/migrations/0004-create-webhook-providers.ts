import { createTable, type Migration, unique } from "./migration.ts";

/** Webhook senders that you add while the server runs, and their keys. Secrets are encrypted. */
export const createWebhookProviders: Migration = {
  name: "0004-create-webhook-providers",
  part: "inbox",
  tables: ["webhook_providers", "webhook_keys"],
  up: (types) => {
    const { id, moment, text, longText, integer } = types;
    const own = [`id ${id} NOT NULL PRIMARY KEY`, `revision ${integer} NOT NULL`];
    const times = [`created_at ${moment} NOT NULL`, `updated_at ${moment} NOT NULL`];
    return [
      ...createTable(types, "webhook_providers", [
        ...own,
        `name ${text(64)} NOT NULL`,
        `scheme ${text(64)} NOT NULL`,
        `definition ${longText} NOT NULL`,
        `sealed_settings ${longText} NULL`,
        ...times,
        unique(types, "name"),
      ]),
      ...createTable(
        types,
        "webhook_keys",
        [
          ...own,
          `provider_id ${id} NOT NULL`,
          `key_id ${text(255)} NULL`,
          `sealed_key ${longText} NOT NULL`,
          `not_before ${moment} NOT NULL`,
          `not_after ${moment} NULL`,
          ...times,
          "FOREIGN KEY (provider_id) REFERENCES webhook_providers (id) ON DELETE CASCADE",
        ],
        [{ name: "provider_id", columns: "provider_id, id" }],
      ),
    ];
  },
  down: () => ["webhook_keys", "webhook_providers"].map((table) => `DROP TABLE IF EXISTS ${table}`),
};
