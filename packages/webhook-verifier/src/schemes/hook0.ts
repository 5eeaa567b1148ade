import { hook0Scheme } from "../hook0-scheme.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const hook0: Scheme = hook0Scheme("hook0", "Hook0");

export const facts: SchemeFacts = {
  headers: ["X-Hook0-Signature"],
  signed: "v1: {timestamp}.{names of the headers in h}.{their values}.{body}; v0: {timestamp}.{body}",
  encoding: "hex",
  keyFrom: "The subscription's secret in the sender's Hook0 dashboard or API.",
  confidence: "confirmed",
  source: "https://documentation.hook0.com/how-to-guides/secure-webhook-endpoints",
  repeats: {
    source: "https://github.com/hook0/hook0/blob/master/documentation/explanation/webhook-delivery-guarantees.md",
  },
  notes: ["The older `v0` covers time and body only, and counts only if there is no `v1`."],
};
