import { day, sameBody } from "../repeat-rules.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { websubScheme } from "./websub.ts";

export const youtube: Scheme = websubScheme("youtube", "hmac-sha1", "YouTube (WebSub)", [sameBody(3 * day)]);

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
