import { definePlainScheme } from "../define-scheme.ts";
import { getHeader } from "../headers.ts";
import { encodeHex, hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { noRepeat } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { settingOf } from "../settings.ts";
import { formatTime, parseTime } from "../timestamps.ts";

const untimed = definePlainScheme({
  name: "grafana",
  title: "Grafana alerting",
  methods: ["PUT"],
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Grafana-Alerting-Signature", encoding: hex },
  signed: "{body}",
  type: "body:status",
  promises: { id: "absent", type: "usual" },
  repeats: [noRepeat],
  settings: { timestampHeader: { about: "the timestamp header that was set in Grafana, if there is one" } },
});

export const grafana: Scheme = {
  ...untimed,
  toleranceSeconds: 300,
  read: async (request, reading) => {
    const name = settingOf(reading.settings, "timestampHeader")?.toLowerCase();
    const claims = await untimed.read(request, reading);
    if (name === undefined) return claims;
    const written = getHeader(request.headers, name);
    const covered = [...untimed.covered, "timestamp"] as const;
    return claims.map((claim) => ({
      ...claim,
      signed: [`${written}:`, ...claim.signed],
      timestamp: parseTime(written, "s"),
      covered,
    }));
  },
  sign: async ({ body, timestamp, settings }, [key]) => {
    const name = settingOf(settings, "timestampHeader")?.toLowerCase();
    const written = formatTime(timestamp, "s");
    const signature = encodeHex(await key.sign(name === undefined ? [body] : [`${written}:`, body]));
    return {
      headers: {
        ...(name !== undefined && { [name]: written }),
        "x-grafana-alerting-signature": signature,
      },
    };
  },
};

export const facts: SchemeFacts = {
  keyFrom: "The HMAC secret of the webhook contact point (Alerting, Contact points).",
  confidence: "confirmed",
  source: "https://github.com/grafana/alerting/blob/main/http/hmac.go",
  promises: {
    source:
      "https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/",
    note: "A custom payload decides what the body holds.",
  },
  repeats: {
    source: "https://github.com/grafana/alerting/blob/main/receivers/webhook/v1/webhook.go",
    why: "Grafana sends an alert again as a reminder, with the same body and without an id.",
  },
  notes: [
    "With a timestamp header set in Grafana, give its name as `timestampHeader`: then the time is signed, and five minutes is our window. Without it, a delivery can be replayed for ever.",
  ],
};
