import { defineResource } from "../model/define-resource.ts";
import { boolean, jsonObject, nullable, prose, reference, text, timestamp } from "../model/field.ts";
import type { Condition } from "../ports/condition.ts";

/** Nobody but administrators, through operations of their own. */
const nobody = (): Condition => ({ any: [] });
const access = { read: nobody, update: nobody, delete: nobody };

/** The longest sealed key: an RSA key of 8,192 bits as PEM, encrypted, fits. */
const sealedLength = 16_384;

/** A sender that was added at run time; those of the configuration are in no table. */
export const webhookProvider = defineResource({
  name: "webhook_provider",
  plural: "webhook-providers",
  description: "A sender of webhooks that was added at run time.",
  fields: {
    name: { ...text(64, { description: "The last segment of its path." }), unique: true },
    scheme: text(64, { description: "How it signs." }),
    definition: jsonObject({ description: "Tolerance, key set and payload schemas, where there are any." }),
    allow_short: boolean({ description: "Whether secrets under 16 bytes are accepted." }),
    sealed_settings: nullable(
      prose(sealedLength, { description: "What the scheme needs besides keys, encrypted.", read: "nobody" }),
    ),
  },
  owner: "id",
  access,
});

/** A key of such a sender. Several are good at once while one replaces another. */
export const webhookKey = defineResource({
  name: "webhook_key",
  plural: "webhook-keys",
  description: "A key of a sender that was added at run time.",
  fields: {
    provider_id: reference("webhook_provider", { onDelete: "cascade", as: "provider", description: "Whose it is." }),
    key_id: nullable(text(255, { description: "What the sender's messages call it, where they name keys." })),
    sealed_key: prose(sealedLength, { description: "The key, encrypted.", read: "nobody", write: "nobody" }),
    not_before: timestamp({ description: "Good from then on." }),
    not_after: nullable(timestamp({ description: "Not good any more from then on." })),
  },
  owner: "id",
  access,
});
