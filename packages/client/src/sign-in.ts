import { type ClientOptions, clientOf } from "./create-client.ts";
import type { paths } from "./generated/v1.ts";

/** A session that refreshes its own tokens. */
export interface SignedIn {
  /**
   * A valid access token. Give this function to `createClient` as `token`. The token is refreshed
   * shortly before it expires.
   */
  readonly token: () => Promise<string>;
  /** Gets a new access token now, after an answer 401. Several calls at once share one. */
  readonly refresh: () => Promise<string>;
  /** Ends the session on the server. */
  readonly signOut: () => Promise<void>;
}

export interface SignInOptions extends Pick<ClientOptions<string>, "origin" | "fetch" | "retries" | "sleep"> {
  /** A version that the server has. Default: `v1`. */
  readonly version?: string;
  readonly email: string;
  readonly password: string;
  /** Milliseconds since the epoch; in the place of the platform's clock. */
  readonly now?: () => number;
}

/** A token that expires so soon is exchanged before it is used. */
const marginMs = 30_000;

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

/**
 * Signs in and keeps the session's tokens in memory. Each refresh token is valid once, so copies of
 * a session must not share it.
 * @throws the problem that the server answers, such as `invalid_credentials`.
 */
export const signIn = async ({
  email,
  password,
  version = "v1",
  now = Date.now,
  ...options
}: SignInOptions): Promise<SignedIn> => {
  // Sessions are the same in all versions.
  const client = clientOf<paths>({ ...options, version });
  const taken = ({ data, error }: { data?: Tokens; error?: unknown }) => {
    if (data === undefined) throw error;
    return { ...data, expiresAt: now() + data.expires_in * 1000 };
  };
  let tokens = taken(await client.POST("/sessions", { body: { email, password } }));
  let refreshing: Promise<string> | undefined;

  const exchange = async (): Promise<string> => {
    tokens = taken(await client.POST("/sessions/refresh", { body: { refresh_token: tokens.refresh_token } }));
    return tokens.access_token;
  };
  const refresh = (): Promise<string> => {
    refreshing ??= exchange().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };
  return {
    token: async () => (now() + marginMs < tokens.expiresAt ? tokens.access_token : refresh()),
    refresh,
    signOut: async () => {
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      await client.DELETE("/sessions/{id}", { params: { path: { id: "current" } }, headers });
    },
  };
};
