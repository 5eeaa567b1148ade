import type { AppOptions, OutsideIssuer } from "@postern/app";
import { allRows } from "@postern/core";
import { utf8Encode } from "@postern/core/internal";
import { memoryFetcher, memoryJwts, virtualClock } from "@postern/core/memory";
import type { ForeignJwk, JwtClaims } from "@postern/core/ports";
import { user } from "../src/resources/user.ts";
import { testApi } from "./api.ts";

export const issuer = "https://id.example.com/realm";
export const audience = "postern-test";
export const json = (value: unknown) => ({ body: utf8Encode(JSON.stringify(value)) });

/** An issuer whose answers the test controls, and a server that accepts its tokens. */
export const scene = (more: Partial<OutsideIssuer> = {}, options: Partial<AppOptions> = {}) => {
  const jwts = memoryJwts();
  const clock = virtualClock();
  const published: { keys: ForeignJwk[]; up: boolean } = { keys: [jwts.newKey("first")], up: true };
  const asked = { keys: 0 };
  const fetcher = memoryFetcher({
    [`${issuer}/.well-known/openid-configuration`]: () =>
      published.up ? json({ issuer, jwks_uri: `${issuer}/keys` }) : { status: 500 },
    [`${issuer}/keys`]: () => {
      asked.keys += 1;
      return published.up ? json({ keys: published.keys }) : { status: 500 };
    },
  });
  const settings = {
    rateLimits: "off" as const,
    ...options.settings,
    outsideIssuer: { issuer, audience, ...more },
  };
  const api = testApi(
    { ...options, settings },
    {
      fetcher,
      clock,
      jwtVerifier: jwts,
    },
  );
  const claims = (given: JwtClaims = {}): JwtClaims => ({
    iss: issuer,
    aud: audience,
    sub: "subject-1",
    exp: Math.floor(clock.now() / 1000) + 300,
    email: "eve@example.com",
    email_verified: true,
    name: "Eve",
    ...given,
  });
  const token = (given: JwtClaims = {}, header = {}, key = published.keys[0] ?? {}) =>
    jwts.sign(key, claims(given), header);
  const me = (given: string) => api.call("GET", "/users/me", { token: given });
  const verify = async (id: string, email: string | null) => {
    await api.ports.storage.resources.update(user, { id, scope: allRows("test") }, { verified_email: email });
  };
  return { ...api, jwts, clock, published, asked, token, me, verify };
};
