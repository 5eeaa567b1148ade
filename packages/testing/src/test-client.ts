import { AppError } from "@postern/core";
import { isObject } from "@postern/core/internal";
import type { Postern } from "postern";
import { readBody } from "./went-out.ts";

/** Somebody who uses the API. A name alone is a user with that name and the role `user`. */
export type TestUser =
  | string
  | {
      readonly name: string;
      /** Default: the name in lower case, `@example.com`. */
      readonly email?: string;
      /** Default: `user`. */
      readonly role?: string;
    };

/** The answer to a request. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** As JSON if it is JSON. `undefined` if it is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads members of answers whose shape it asserts
  readonly body: any;
}

type Send = (path: string, headers?: Readonly<Record<string, string>>) => Promise<Answered>;
type SendBody = (path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answered>;

/**
 * The API over HTTP as one user. A path such as `/invoices` is of the newest version; `/v1/users/me`
 * names another one. Writes send `If-Match: *` unless you give the header.
 */
export interface TestClient {
  readonly get: Send;
  readonly delete: Send;
  readonly post: SendBody;
  readonly patch: SendBody;
  readonly put: SendBody;
}

const operator = { kind: "operator", name: "test" } as const;
/** Long enough, and no secret: it opens accounts of tests. */
const password = "correct horse battery staple";
/** A token is renewed so long before it ends. */
const earlyMs = 1_000;
/** Writes in any case; a test of preconditions sends the entity tag that it means. */
const whatever = { "if-match": "*" } as const;

interface ClientNeeds {
  readonly app: Postern["app"];
  readonly fetch: Postern["fetch"];
  /** The address of the API, without a slash at its end. */
  readonly api: string;
  readonly now: () => number;
}

interface Account {
  readonly name: string;
  readonly email: string;
  readonly role: string;
}

const accountOf = (user: TestUser): Account => {
  const { name, role = "user", email } = typeof user === "string" ? { name: user, email: undefined } : user;
  return { name, role, email: email ?? `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, ".")}@example.com` };
};

/** Makes the account, unless an earlier test has left it in the database. */
const ensureAccount = async (app: Postern["app"], account: Account): Promise<void> => {
  try {
    await app.run({ operation: "users.create", principal: operator, body: { ...account, password } });
  } catch (thrown) {
    if (!(thrown instanceof AppError && thrown.code === "conflict")) throw thrown;
  }
};

/** The function behind `t.as`: makes a user when it is first used, and keeps it signed in. */
export const createClients = ({ app, fetch, api, now }: ClientNeeds): ((user: TestUser) => TestClient) => {
  const made = new Map<string, Promise<void>>();
  const tokens = new Map<string, Promise<{ readonly text: string; readonly goodUntil: number }>>();
  const newest = app.versions.at(-1)?.id ?? "";
  const isVersion = new RegExp(`^/(${app.versions.map(({ id }) => id).join("|")})/`);

  const signIn = async (account: Account) => {
    const { email } = account;
    const known = made.get(email) ?? ensureAccount(app, account);
    made.set(email, known);
    await known;
    const signedIn = await app.run({ operation: "sessions.create", principal: operator, body: { email, password } });
    const { access_token, expires_in } = isObject(signedIn.body) ? signedIn.body : {};
    return { text: String(access_token), goodUntil: now() + Number(expires_in) * 1_000 - earlyMs };
  };

  const tokenOf = async (account: Account): Promise<string> => {
    const known = await tokens.get(account.email);
    if (known !== undefined && now() < known.goodUntil) return known.text;
    const token = signIn(account);
    tokens.set(account.email, token);
    return (await token).text;
  };

  return (user) => {
    const account = accountOf(user);
    const send = async (method: string, path: string, body: unknown, headers = {}): Promise<Answered> => {
      const response = await fetch(
        new Request(`${api}${isVersion.test(path) ? path : `/${newest}${path}`}`, {
          method,
          headers: {
            authorization: `Bearer ${await tokenOf(account)}`,
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
      return { status: response.status, headers: response.headers, body: readBody(await response.text()) };
    };
    return {
      get: (path, headers) => send("GET", path, undefined, headers),
      delete: (path, headers) => send("DELETE", path, undefined, { ...whatever, ...headers }),
      post: (path, body, headers) => send("POST", path, body, headers),
      patch: (path, body, headers) => send("PATCH", path, body, { ...whatever, ...headers }),
      put: (path, body, headers) => send("PUT", path, body, { ...whatever, ...headers }),
    };
  };
};
