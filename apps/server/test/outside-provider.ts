import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import Provider, { type Configuration } from "oidc-provider";

/** The people of the provider, by the name with which they sign in. */
export type People = Record<string, Readonly<Record<string, unknown>>>;

const callback = "http://127.0.0.1/back";

/** Makes a private key for signatures, with this name. */
export const newKey = async (kid: string, alg = "RS256"): Promise<JWK> => {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg, use: "sig" };
};

/**
 * The real `oidc-provider` on a loopback address. Its people sign in without a page: the login hint
 * names them, and they allow everything.
 */
export const startProvider = async (people: People) => {
  let provider: Provider | undefined;
  let answers = true;
  const asked: string[] = [];

  const interact = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (provider === undefined) throw new Error("the provider has not started");
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (prompt.name === "login") {
      const result = { login: { accountId: String(params.login_hint) } };
      return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    }
    const accountId = session?.accountId ?? "";
    const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
    grant.addOIDCScope("openid api");
    grant.addResourceScope(String(params.resource), "api");
    const result = { consent: { grantId: await grant.save() } };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
  };

  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (!answers) {
      response.writeHead(503).end();
      return;
    }
    if (request.url?.startsWith("/interaction/") === true) {
      interact(request, response).catch((thrown: unknown) => response.writeHead(500).end(String(thrown)));
      return;
    }
    provider?.callback()(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;

  /** Starts the provider again with these keys. The first one signs. */
  const useKeys = (keys: JWK[]): void => {
    const configuration: Configuration = {
      jwks: { keys: keys as NonNullable<Configuration["jwks"]>["keys"] },
      clients: [
        {
          client_id: "app",
          token_endpoint_auth_method: "none",
          redirect_uris: [callback],
          grant_types: ["authorization_code"],
          application_type: "native",
          id_token_signed_response_alg: (keys[0]?.alg ?? "RS256") as "RS256",
        },
      ],
      cookies: { keys: ["only a test"] },
      pkce: { required: () => false },
      scopes: ["openid", "api"],
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
      extraTokenClaims: (_context, token) => ("accountId" in token ? { ...people[String(token.accountId)] } : {}),
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      features: {
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_context, resource) => ({
            scope: "api",
            audience: resource,
            accessTokenFormat: "jwt",
            accessTokenTTL: 300,
            jwt: { sign: { alg: (keys[0]?.alg ?? "RS256") as "RS256" } },
          }),
          useGrantedResource: () => true,
        },
      },
      ttl: { Interaction: 60, Grant: 60, Session: 60, AccessToken: 300, AuthorizationCode: 60, IdToken: 60 },
    };
    provider = new Provider(issuer, configuration);
  };

  /** Signs a person in by the authorization code flow, and returns what the client gets. */
  const signIn = async (name: string, resource: string): Promise<{ access_token: string; id_token: string }> => {
    const jar = new Map<string, string>();
    const query = { client_id: "app", response_type: "code", scope: "openid api", redirect_uri: callback };
    let url = `${issuer}/auth?${new URLSearchParams({ ...query, resource, login_hint: name })}`;
    for (let hop = 0; hop < 10 && !url.startsWith(callback); hop += 1) {
      const cookie = [...jar].map(([key, value]) => `${key}=${value}`).join("; ");
      const answer = await fetch(url, { redirect: "manual", headers: { cookie } });
      for (const line of answer.headers.getSetCookie()) {
        const [, key = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        jar.set(key, value);
      }
      const location = answer.headers.get("location");
      if (location === null) throw new Error(`${answer.status} ${await answer.text()}`);
      url = new URL(location, issuer).href;
    }
    const code = new URL(url).searchParams.get("code") ?? "";
    const form = { grant_type: "authorization_code", client_id: "app", redirect_uri: callback, code };
    const answer = await fetch(`${issuer}/token`, { method: "POST", body: new URLSearchParams(form) });
    if (!answer.ok) throw new Error(`${url} → ${await answer.text()}`);
    return (await answer.json()) as { access_token: string; id_token: string };
  };

  return {
    issuer,
    useKeys,
    signIn,
    /** How often the keys were requested. */
    asked: (path = "/jwks") => asked.filter((one) => one === path).length,
    stopAnswering: (): void => {
      answers = false;
    },
    answerAgain: (): void => {
      answers = true;
    },
    close: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
    },
  };
};
