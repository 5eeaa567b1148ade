import { createHash, randomBytes } from "node:crypto";
import * as oauth from "oauth4webapi";
import { type Nodes, openBrowser, startNodes } from "./oauth-nodes.ts";

export const insecure = { [oauth.allowInsecureRequests]: true };
export const callback = "https://app.example.com/back?x=1";
export const verifierOf = () => randomBytes(32).toString("base64url");
export const challengeOf = (verifier: string) => createHash("sha256").update(verifier).digest("base64url");

interface Client {
  readonly id: string;
  readonly secret: string;
}

/**
 * Two nodes on one database, with a service, a site and an app as clients, and functions that send
 * what such clients send.
 */
export interface OauthClients {
  readonly nodes: Nodes;
  readonly service: Client;
  readonly site: Client;
  readonly app: Client;
  readonly as: oauth.AuthorizationServer;
  /** A browser that has been signed in since its first page. */
  readonly known: ReturnType<typeof openBrowser>;
  newClient(more: object): Promise<Client>;
  /** The URL of the page that asks a user for their consent. */
  link(fields: Record<string, string | undefined>): string;
  /** Posts a form as a client does, and returns the answer. */
  post(
    path: string,
    form: Record<string, string>,
    base?: string,
    // biome-ignore lint/suspicious/noExplicitAny: each test looks into the JSON that it expects.
  ): Promise<{ status: number; headers: Headers; body: any }>;
  /** A code for the site, and all that is needed to exchange it. */
  newCode(more?: Record<string, string>): Promise<Record<string, string> & { code_verifier: string }>;
}

export const startClients = async (kind: "SQLite" | "MariaDB"): Promise<OauthClients> => {
  const nodes = await startNodes(kind);
  const known = openBrowser(nodes);

  const newClient = async (more: object): Promise<Client> => {
    const body = { name: "A <b>client</b>", user_id: nodes.ann, scopes: ["posts:read", "posts:write"], ...more };
    const { id = "", secret = "" } = await nodes.run("admin.clients.create", body);
    return { id, secret };
  };

  const service = await newClient({});
  const site = await newClient({ redirect_uris: [callback] });
  const app = await newClient({ kind: "public", redirect_uris: ["http://127.0.0.1/back", "com.example.app:/back"] });
  const issuer = new URL(nodes.issuer);
  const found = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: "oauth2" });
  const as = await oauth.processDiscoveryResponse(issuer, found);

  const link = (fields: Record<string, string | undefined>): string => {
    const given = { response_type: "code", code_challenge_method: "S256", state: "s t&a", ...fields };
    const entries = Object.entries(given).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    );
    return `${nodes.issuer}/oauth/authorize?${new URLSearchParams(entries)}`;
  };

  const post = async (path: string, form: Record<string, string>, base = nodes.issuer) => {
    const answer = await fetch(`${base}/oauth/${path}`, { method: "POST", body: new URLSearchParams(form) });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === "" ? {} : JSON.parse(text) };
  };

  const newCode = async (more: Record<string, string> = {}) => {
    const verifier = verifierOf();
    const asked = { client_id: site.id, redirect_uri: callback, code_challenge: challengeOf(verifier), ...more };
    const back = await known.decide(link(asked));
    return {
      grant_type: "authorization_code",
      client_id: site.id,
      client_secret: site.secret,
      redirect_uri: callback,
      code: back.searchParams.get("code") ?? "",
      code_verifier: verifier,
    };
  };

  return { nodes, service, site, app, as, known, newClient, link, post, newCode };
};
