import { invalidKey } from "../keys/key.ts";
import type { KeyFacts } from "./contract.ts";

/**
 * The usual prefixes of API keys: Stripe, Clerk, PayMongo, GitHub, GitLab, Slack, Shopify, OpenAI,
 * Linear, HubSpot, Notion, Razorpay, Paddle, Figma, Supabase, and the ids of Twilio.
 */
const apiKey =
  /^([rsp]k_(live|test)_|sk-|gh[a-z]_|github_pat_|glpat-|xox|xapp-|shpat_|lin_api_|pat-|ntn_|rzp_|pdl_\w*apikey_|figd_|sb[p_]|(AC|SK)[\da-f]{32}$)/;

/**
 * Names what people copy along with a key, or in place of it. Without this, every delivery would be
 * refused and nobody would know why.
 * @throws WebhookConfigError `key_invalid`
 */
export const checkKeyText = ({ secret, isApiKey, algorithms }: KeyFacts, text: string): void => {
  if (/^(["']).*\1$/s.test(text))
    invalidKey("it has quotes around it. Remove them: `docker --env-file` and some hosts keep them.");
  if (secret && /^\s|\s$/.test(text) && !text.includes("-----BEGIN"))
    invalidKey("it begins or ends with white space, such as a line break. Remove it.");
  if (secret && !isApiKey && algorithms[0] !== "token" && apiKey.test(text))
    invalidKey("it is an API key. Give the secret that the sender shows for the webhook.");
};
