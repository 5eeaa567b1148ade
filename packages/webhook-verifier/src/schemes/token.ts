import { textOf } from "#platform";
import { queryOf } from "../answers.ts";
import { contentReader, payloadField } from "../content.ts";
import { refuse } from "../errors.ts";
import { behind, findHeader, missing } from "../headers.ts";
import { textSecret } from "../keys/secret.ts";
import { idIfSent, usualIdHeaders } from "../repeat-rules.ts";
import { URL, utf8 } from "../runtime.ts";
import type { Scheme, SchemeFacts, Settings } from "../scheme.ts";
import { settingOf } from "../settings.ts";

/** The place of the token: a query parameter, or a header and the text in front of the token. */
const placeOf = (
  settings: Settings,
): { readonly query?: string | undefined; readonly header: string; readonly prefix: string } => {
  const header = settingOf(settings, "header");
  return {
    query: settingOf(settings, "query"),
    header: header?.toLowerCase() ?? "authorization",
    prefix: settingOf(settings, "prefix") ?? (header === undefined ? "Bearer " : ""),
  };
};

/**
 * What reads and shows a token. Its place is that of the settings, and of `usual` where they name
 * none.
 */
export const shownAt = (usual: Settings): Required<Pick<Scheme, "credentials" | "read" | "sign">> => ({
  credentials: [usual.query === undefined ? `header:${placeOf(usual).header}` : `query:${usual.query}`],
  read: ({ headers, url, body }, { settings }) => {
    const { query, header, prefix } = placeOf({ ...usual, ...settings });
    const shown =
      query === undefined
        ? (findHeader(headers, header) ?? missing(header))
        : (queryOf(url, query) ?? refuse("signature_missing", `The query has no ${query}, or more than one.`));
    const secret =
      behind(shown, query === undefined ? prefix : "") ??
      refuse("signature_malformed", `${header} does not begin with ${prefix}`);
    return [{ signatures: [{ bytes: utf8(secret) }], signed: [body] }];
  },
  sign: async ({ url, settings }, [key]) => {
    const { query, header, prefix } = placeOf({ ...usual, ...settings });
    const shown = textOf(await key.sign([])) ?? "";
    if (query === undefined) return { headers: { [header]: prefix + shown } };
    const target = url ?? refuse("request_incomplete", "The token stands in the URL: give one.");
    const pair = `${encodeURIComponent(query)}=${encodeURIComponent(shown)}`;
    return { url: `${target}${new URL(target).search === "" ? "?" : "&"}${pair}` };
  },
});

export const token: Scheme = {
  name: "token",
  title: "Token in a header or query parameter (generic)",
  promises: { id: "unknown", type: "unknown" },
  json: "usual",
  methods: ["GET", "PUT"],
  key: textSecret("token"),
  covered: ["sender"],
  id: usualIdHeaders,
  repeats: idIfSent,
  settings: {
    header: { about: "the header that shows the token; `Authorization` unless set", credential: "header" },
    prefix: { about: "what stands before the token in the header; `Bearer ` for `Authorization`, nothing for others" },
    query: { about: "the query parameter that shows the token, in place of a header", credential: "query" },
  },
  // Senders of this kind send JSON or a form.
  parse: contentReader(payloadField()),
  ...shownAt({}),
};

export const facts: SchemeFacts = {
  headers: ["Authorization"],
  signed: "nothing: the secret itself is shown",
  encoding: "text",
  keyFrom: "You choose it, and tell it the sender: 32 random characters or more.",
  confidence: "confirmed",
  source: "https://datatracker.ietf.org/doc/html/rfc6750",
  repeats: {
    source: "https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header",
    confidence: "second-hand",
    why: "The sender decides what the body holds.",
  },
  notes: [
    "Only the sender is known; use TLS, and do not let the token reach a log. URLs reach logs easily: take a header where the sender can set one.",
    "With `query`, do not give the verifier a `url` that holds the token itself: it would stand in for the request's own.",
    "The token is compared in constant time.",
  ],
};
