import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { hour, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

const sha1 = textSecret("sha1-suffix");
const sha256 = textSecret("sha256-suffix");

export const cloudinary: Scheme = definePlainScheme({
  name: "cloudinary",
  title: "Cloudinary",
  key: {
    ...sha1,
    algorithms: ["sha1-suffix", "sha256-suffix"],
    verifying: (key, algorithm) => (algorithm === "sha256-suffix" ? sha256 : sha1).verifying(key),
  },
  signature: { header: "X-Cld-Signature", encoding: hex },
  signed: "{body}{timestamp}",
  timestamp: { header: "X-Cld-Timestamp", unit: "s", toleranceSeconds: 7200 },
  type: "body:notification_type",
  promises: { id: "absent", type: "usual" },
  repeats: [sameBody(2 * hour)],
});

export const facts: SchemeFacts = {
  signed: "{body}{timestamp}{API secret}",
  keyFrom: "Cloudinary Console, Settings, API Keys, the API secret.",
  confidence: "confirmed",
  source: "https://cloudinary.com/documentation/notification_signatures",
  repeats: {
    source: "https://cloudinary.com/documentation/notification_signatures",
    note: "A notification says when it was made, so that no two events share a body. Two hours are ours.",
  },
  notes: [
    'Where the account signs with SHA-256, give the key as `{ key, algorithm: "sha256-suffix" }`.',
    "A plain hash, not an HMAC: it holds because the secret is its end.",
  ],
};
