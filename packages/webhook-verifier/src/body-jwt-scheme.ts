import { textOf } from "#platform";
import { decodeBase64url } from "./base64.ts";
import { refuse } from "./errors.ts";
import { jsonIn } from "./json.ts";
import { payloadOf, readJws, writeJws } from "./jws.ts";
import { checkLife, tokenClaim } from "./jwt-scheme.ts";
import { rsaPublicKey } from "./keys/public.ts";
import { utf8 } from "./runtime.ts";
import type { LayoutPart, Scheme } from "./scheme.ts";

/** The claims of a body that is a JWT, as JSON; `undefined` for any other body. */
const claimsOf = (body: Uint8Array): unknown =>
  jsonIn(decodeBase64url((textOf(body) ?? "").trim().split(".")[1] ?? "") ?? new Uint8Array());

/** Describes a sender whose whole body is a JWT. */
interface BodyJwtLayout extends Pick<Scheme, "name" | "title" | Exclude<LayoutPart, "parse">> {
  /** Finds the event's id among the claims, if it is at no place of the payload. */
  readonly idIn?: (claims: unknown) => string | undefined;
  /** The event among the claims. Default: the claims themselves. */
  readonly payload?: (claims: unknown) => unknown;
  /** The claims of a token that is made for a test, from an event. Default: the event itself. */
  readonly claims?: (event: unknown) => unknown;
}

/** Makes the scheme of a sender whose whole body is a JWT (RS256). Its claims are the payload. */
export const bodyJwtScheme = (layout: BodyJwtLayout): Scheme => {
  const { idIn, payload = (claims) => claims, claims = (event) => event, ...rest } = layout;
  return {
    ...rest,
    key: rsaPublicKey("rsa-sha256"),
    covered: [
      "body",
      ...((rest.id ?? idIn) === undefined ? [] : (["id"] as const)),
      ...(rest.type === undefined ? [] : (["type"] as const)),
    ],
    credentials: [],
    parse: (body) => payload(claimsOf(body)),
    read: ({ body }, { now }) => {
      const text = textOf(body)?.trim() ?? "";
      if (text === "") refuse("signature_missing", "The body is no JWT.");
      const jws = readJws(text, "RS256");
      return [
        {
          ...tokenClaim(jws),
          confirm: () => {
            const proved = payloadOf(jws);
            checkLife(proved, now);
            return idIn && { id: idIn(proved) };
          },
        },
      ];
    },
    sign: async ({ body }, [key]) => {
      const token = await writeJws({ alg: "RS256", typ: "JWT" }, utf8(JSON.stringify(claims(jsonIn(body)))), key);
      return { body: utf8(token) };
    },
  };
};
