import type { Scheme, SchemeFacts } from "../scheme.ts";
import { standardWebhooksScheme } from "../standard-webhooks-scheme.ts";

export const liveblocks: Scheme = standardWebhooksScheme({
  name: "liveblocks",
  prefix: "webhook",
  title: "Liveblocks",
  promisesType: "promised",
  data: "data",
});

export const facts: SchemeFacts = {
  keyFrom: "Liveblocks dashboard, the project, Webhooks, the endpoint's signing secret (`whsec_…`).",
  confidence: "confirmed",
  source: "https://github.com/liveblocks/liveblocks/blob/main/packages/liveblocks-node/src/webhooks.ts",
  promises: { source: "https://liveblocks.io/docs/platform/webhooks" },
  repeats: { source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md" },
};
