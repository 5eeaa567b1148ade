import { readContent } from "../content.ts";
import { definePlainScheme } from "../define-scheme.ts";
import { textSecret } from "../keys/secret.ts";
import { plainText } from "../plain-text.ts";
import { unsignedId } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";

export const googleChannels: Scheme = definePlainScheme({
  name: "google-channels",
  title: "Google Calendar and Drive channels",
  promises: { id: "promised", type: "promised" },
  headers: [
    "x-goog-channel-id",
    "x-goog-channel-expiration",
    "x-goog-message-number",
    "x-goog-resource-id",
    "x-goog-resource-state",
    "x-goog-resource-uri",
    "x-goog-changed",
  ],
  key: textSecret("token"),
  signature: { header: "X-Goog-Channel-Token", encoding: plainText },
  signed: "{body}",
  covered: ["sender"],
  id: ["header:x-goog-channel-id", "header:x-goog-message-number"],
  type: "header:x-goog-resource-state",
  repeats: [unsignedId(["header:x-goog-channel-id", "header:x-goog-message-number"])],
  parse: readContent,
  json: "usual",
});

export const facts: SchemeFacts = {
  keyFrom: "The `token` you gave the channel when you called `watch`: 16 to 256 characters, the same for all channels.",
  confidence: "confirmed",
  source: "https://developers.google.com/workspace/calendar/api/guides/push",
  repeats: {
    source: "https://developers.google.com/workspace/drive/api/guides/push",
    note: "Message numbers grow within a channel, so both together name a notification.",
  },
  notes: [
    "The handler finds what changed in `event.headers`: `x-goog-resource-id`, `x-goog-resource-state`, `x-goog-changed`. Ask the API for the rest.",
    "The first notification of a channel has the type `sync`: it says only that the channel works. Channels expire (`x-goog-channel-expiration`); make a new one before.",
  ],
};
