import { queryOf, textAnswer } from "../answers.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { hex } from "../hex.ts";
import { textSecret } from "../keys/secret.ts";
import { noRepeat } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const dropbox: Scheme = definePlainScheme({
  name: "dropbox",
  title: "Dropbox",
  promises: { id: "absent", type: "absent" },
  // App secrets have 15 characters.
  key: textSecret("hmac-sha256", 15),
  signature: { header: "X-Dropbox-Signature", encoding: hex },
  signed: "{body}",
  repeats: [noRepeat],
  handshakes: [{ by: "GET", type: "text/plain" }],
  handshake: ({ method, url }) => {
    const challenge = method === "GET" ? queryOf(url, "challenge") : undefined;
    return challenge === undefined ? undefined : textAnswer(challenge);
  },
});

export const facts: SchemeFacts = {
  keyFrom: "The app secret (App Console, the app, Settings).",
  confidence: "confirmed",
  source: "https://github.com/dropbox/mdwebhook/blob/master/app.py",
  handshake: "GET `challenge`: the challenge as text",
  repeats: {
    source: "https://www.dropbox.com/developers/reference/webhooks",
    confidence: "second-hand",
    why: "A notification says only that an account changed.",
  },
};
