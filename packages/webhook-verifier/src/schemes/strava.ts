import { equal } from "#platform";
import { emptyAnswer, jsonAnswer, queryOf } from "../answers.ts";
import { textSecret } from "../keys/secret.ts";
import { day, sameBody } from "../repeat-rules.ts";
import { utf8 } from "../runtime.ts";
import type { Scheme, SchemeFacts } from "../scheme.ts";
import { settingOf } from "../settings.ts";
import { shownAt } from "./token.ts";

const shown = shownAt({ query: "secret" });

export const strava: Scheme = {
  name: "strava",
  title: "Strava",
  promises: { id: "absent", type: "usual" },
  key: textSecret("token"),
  covered: ["sender"],
  type: ["body:object_type", "body:aspect_type"],
  repeats: [sameBody(day)],
  settings: {
    query: { about: "the query parameter of the URL that shows the secret; `secret` unless set", credential: "query" },
    verifyToken: { about: "the `verify_token` that you give the subscription, for the handshake" },
  },
  handshakes: [
    { by: "GET", type: "application/json" },
    { by: "GET", status: 403 },
  ],
  handshake: ({ method, url }, { settings }) => {
    if (method !== "GET" || queryOf(url, "hub.mode") !== "subscribe") return undefined;
    const token = settingOf(settings, "verifyToken");
    const isRight = token !== undefined && equal(utf8(queryOf(url, "hub.verify_token") ?? ""), utf8(token));
    return isRight ? jsonAnswer({ "hub.challenge": queryOf(url, "hub.challenge") ?? "" }) : emptyAnswer(403);
  },
  ...shown,
  credentials: [...shown.credentials, "query:hub.verify_token"],
};

export const facts: SchemeFacts = {
  headers: [],
  signed: "nothing: the secret itself is shown, in the query",
  encoding: "text",
  keyFrom: "You choose it, and put it into the query of the subscription's `callback_url`: `?secret=…`.",
  confidence: "second-hand",
  source: "https://developers.strava.com/docs/webhooks/",
  handshake: "GET `hub.challenge`: the challenge as JSON if `hub.verify_token` is right, else 403",
  repeats: {
    source: "https://developers.strava.com/docs/webhooks/",
    confidence: "second-hand",
    note: "An event says when it happened (`event_time`), to the second. Strava tries three times; a day is ours.",
  },
  notes: [
    "Strava's own page could not be read; the callback is known from other people's code. That it calls the URL with its query is not written anywhere that we know: the handshake shows it.",
    "Fetch the activity by `object_id` instead of believing the body. `updates.authorized` of an athlete says that your access was withdrawn.",
  ],
};
