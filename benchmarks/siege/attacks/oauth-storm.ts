import type { Attack } from "../attack.ts";
import { send } from "../send.ts";

const lanesEach = 4;
const unknown = "00000000-0000-7000-8000-000000000000";
const form = { "content-type": "application/x-www-form-urlencoded" };
/** Just below the bound of a form. */
const aForm = 65_000;
const assertionType = encodeURIComponent("urn:ietf:params:oauth:client-assertion-type:jwt-bearer");

const base64url = (text: string): string => Buffer.from(text).toString("base64url");

/** An assertion of a client that does not exist, with claims that are deep. */
const assertion = [
  base64url('{"alg":"RS256"}'),
  base64url(`{"iss":"${unknown}","sub":"${unknown}","deep":${"[".repeat(20_000)}${"]".repeat(20_000)}}`),
  "AAAA",
].join(".");

interface Costly {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const token = (body: string, headers: Readonly<Record<string, string>> = {}): Costly => ({
  method: "POST",
  path: "/oauth/token",
  headers: { ...form, ...headers },
  body,
});

/** The requests of strangers that the endpoints of OAuth take longest for. */
const costly: readonly Costly[] = [
  token(`grant_type=client_credentials&client_id=${unknown}&client_secret=${"+".repeat(aForm - 100)}`),
  token(`client_id=${unknown}&client_secret=${"%C3%A9".repeat(10_000)}`),
  token(Array.from({ length: 100 }, (_, n) => `field_${n}=${"x".repeat(600)}`).join("&")),
  token("&".repeat(aForm)),
  token(`client_assertion_type=${assertionType}&client_assertion=${assertion}`),
  token("grant_type=client_credentials", { authorization: `Basic ${"YTph".repeat(249)}` }),
  { ...token(`client_id=${unknown}&token=por_${"a".repeat(60_000)}`), path: "/oauth/revoke" },
  { ...token(`client_id=${unknown}&token=${"a.".repeat(30_000)}`), path: "/oauth/introspect" },
  { method: "GET", path: `/oauth/authorize?client_id=${unknown}&state=${"%22".repeat(2_400)}` },
  {
    method: "GET",
    path: `/oauth/authorize?client_id=${unknown}`,
    headers: { cookie: "__Host-postern=a; ".repeat(700) },
  },
  { method: "GET", path: "/.well-known/oauth-authorization-server" },
];

/** Everything that a stranger can ask of OAuth 2, at its longest. */
export const oauthStorm: Attack = {
  name: "oauth-storm",
  does: "32 connections of 8 addresses send the longest requests to the endpoints of OAuth 2",
  requirement: "R15, R29",
  seconds: 4,
  // There is no OAuth without a public URL.
  environment: { POSTERN_PUBLIC_URL: "https://siege.example.com" },
  run: async ({ port, addresses, isOver }) => {
    const statuses = new Map<number, number>();
    let slowest = 0;
    const lane = async (from: string, first: number): Promise<void> => {
      for (let turn = first; !isOver(); turn += 1) {
        const request = costly[turn % costly.length];
        if (request === undefined) return;
        const { status, ms } = await send({ port, from, ...request });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        slowest = Math.max(slowest, ms);
      }
    };
    await Promise.all(addresses.flatMap((from) => Array.from({ length: lanesEach }, (_, n) => lane(from, 3 * n))));
    const seen = [...statuses].toSorted(([a], [b]) => a - b).map(([status, times]) => `${status} × ${times}`);
    const failed = [...statuses.keys()].filter((status) => status >= 500 && status !== 503);
    return {
      saw: `${seen.join(", ")}; slowest ${Math.round(slowest)} ms`,
      fault: failed.length === 0 ? undefined : `a request was answered ${failed.join(", ")}`,
    };
  },
};
