import type { Scheme } from "../scheme.ts";
import { github } from "./github.ts";
import { standardWebhooks } from "./standard-webhooks.ts";
import { stripe } from "./stripe.ts";

/** Every scheme by name. Import a single one from `@postern/webhook-verifier/schemes/<name>` to ship nothing else. */
export const schemes = {
  "standard-webhooks": standardWebhooks,
  stripe,
  github,
} as const satisfies Readonly<Record<string, Scheme>>;
