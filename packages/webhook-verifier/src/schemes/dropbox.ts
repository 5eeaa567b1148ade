import { queryOf, textAnswer } from "../answers.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

/**
 * Dropbox signs the body with HMAC-SHA256 and sends `X-Dropbox-Signature: <hex>`. No time is
 * signed. A notification names accounts, not events, and has no id.
 * @see https://github.com/dropbox/mdwebhook/blob/master/app.py
 */
export const dropbox: Scheme = definePlainScheme({
  name: "dropbox",
  title: "Dropbox",
  key: textSecret("hmac-sha256"),
  signature: { header: "X-Dropbox-Signature", encoding: hex },
  signed: "{body}",
  handshake: ({ method, url }) => {
    const challenge = method === "GET" ? queryOf(url, "challenge") : undefined;
    return challenge === undefined ? undefined : textAnswer(challenge);
  },
});

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  keyFrom: "The app secret (App Console, the app, Settings).",
  confidence: "confirmed",
  source: "https://github.com/dropbox/mdwebhook/blob/master/app.py",
  handshake: "GET `challenge`: the challenge as text",
};
