import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const sentry: Scheme = definePlainScheme({
  name: "sentry",
  title: "Sentry",
  headers: ["sentry-hook-timestamp"],
  key: textSecret("hmac-sha256"),
  signature: { header: ["Sentry-Hook-Signature", "Sentry-App-Signature"], encoding: hex },
  signed: "{body}",
  id: "header:request-id",
  type: ["header:sentry-hook-resource", "body:action"],
  promises: { id: "promised", type: "usual" },
  data: "data",
  repeats: [unsignedId()],
});

export const facts: SchemeFacts = {
  keyFrom: "The integration's client secret (Settings, Custom Integrations).",
  confidence: "confirmed",
  source:
    "https://github.com/getsentry/integration-platform-example/blob/main/backend-ts/src/api/middleware/verifySentrySignature.ts",
  promises: { note: "Requests of alert rules and issue links name no resource." },
  repeats: {
    source: "https://github.com/getsentry/sentry/blob/master/src/sentry/api/serializers/models/app_platform_event.py",
    note: "Sentry makes the id for the request, not for the event.",
  },
  notes: [
    "Requests of alert rules and issue links come under `Sentry-App-Signature` and have neither a type nor an action.",
  ],
};
