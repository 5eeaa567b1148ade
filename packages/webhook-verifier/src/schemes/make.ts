import type { Scheme, SchemeFacts } from "../scheme.ts";
import { shownAt, token } from "./token.ts";

const header = "x-make-apikey";

export const make: Scheme = {
  ...token,
  name: "make",
  title: "Make",
  promises: { id: "unknown", type: "unknown" },
  settings: {
    ...token.settings,
    header: { about: `the header that shows the key; \`${header}\` unless set`, credential: "header" },
  },
  ...shownAt({ header }),
};

export const facts: SchemeFacts = {
  headers: [header],
  signed: "nothing: the key itself is shown",
  encoding: "text",
  keyFrom: "You choose it: the value of the header in the scenario's HTTP module, 32 random characters or more.",
  confidence: "second-hand",
  source: "https://apps.make.com/gateway",
  repeats: {
    source: "https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header",
    confidence: "second-hand",
    why: "The scenario decides what the body holds.",
  },
  notes: [
    "Make documents the header `x-make-apikey` for calls to its own webhooks; in calls from it you name any header. Add an `Idempotency-Key` to the module, so that a scenario that runs again is a repeat.",
  ],
};
