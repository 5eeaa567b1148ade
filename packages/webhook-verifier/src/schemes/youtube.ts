import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { websubScheme } from "./websub.ts";

/**
 * YouTube push notifications come from Google's hub, by WebSub. The hub signs the body with
 * HMAC-SHA1 and sends `X-Hub-Signature: sha1=<hex>`. No time is signed. This is known from other
 * libraries and guides.
 * @see https://developers.google.com/youtube/v3/guides/push_notifications
 */
export const youtube: Scheme = websubScheme("youtube", "hmac-sha1", "YouTube (WebSub)", [sameBody(3 * day)]);

/** For the documentation. Bundlers leave it out. */
export const facts: SchemeFacts = {
  headers: ["X-Hub-Signature"],
  signed: "{body}",
  encoding: "hex",
  keyFrom: "The `hub.secret` you sent with the subscription to `https://pubsubhubbub.appspot.com`.",
  confidence: "second-hand",
  source: "https://developers.google.com/youtube/v3/guides/push_notifications",
  repeats: {
    source: "https://developers.google.com/youtube/v3/guides/push_notifications",
    confidence: "second-hand",
    note: "An entry holds the time of its last change. The time of retries is not documented; three days are ours.",
  },
  notes: ["Topics are `https://www.youtube.com/xml/feeds/videos.xml?channel_id=…`; the content is Atom."],
  handshake: "GET `hub.challenge`: the challenge as text if `hub.topic` is among the topics, else 404",
};
