import { type AppOptions, createApp, user } from "@postern/app";
import type { Storage } from "@postern/core";
import { memoryPasswordHasher, memoryPorts } from "@postern/core/memory";
import { idNumber, userRow } from "@postern/core/testing";
import { fetchHandler } from "@postern/http/fetch";

/** An answer as a caller gets it. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: a law reads members of answers of random form
  readonly body: any;
}

export type Who = "ada" | "bob" | "root";

const numberOf: Readonly<Record<Who, number>> = { ada: 1, bob: 2, root: 3 };
const people: readonly Who[] = ["ada", "bob", "root"];
export const userId = (who: Who): string => idNumber(numberOf[who]);

export interface Caller {
  readonly versions: readonly string[];
  /** `version` is the newest if absent; "" calls the path without a version. */
  call(who: Who, method: string, target: string, body?: unknown, version?: string): Promise<Reply>;
}

const password = "correct horse battery staple";
const origin = "http://laws.test";

/**
 * An application on a storage, called over HTTP by three users who are in the storage already. Each
 * of them signs in with the first call.
 */
export const callerOn = (
  options: Omit<AppOptions, "ports">,
  storage?: Storage,
): Caller & { readonly storage: Storage } => {
  const ports = memoryPorts();
  const used = storage ?? ports.storage;
  const app = createApp({ settings: { rateLimits: "off" }, ...options, ports: { ...ports, storage: used } });
  const newest = app.versions.at(-1)?.id ?? "";
  const answer = fetchHandler(app);
  const tokens = new Map<Who, Promise<string>>();

  const send = async (method: string, url: string, headers: Record<string, string>, body?: unknown): Promise<Reply> => {
    const request = new Request(url, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const response = await answer(request, { address: "192.0.2.1" });
    const text = await response.text();
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: text === "" ? undefined : JSON.parse(text),
    };
  };

  const signIn = async (who: Who): Promise<string> => {
    const { email } = userRow(numberOf[who]);
    const { status, body } = await send("POST", `${origin}/api/${newest}/sessions`, {}, { email, password });
    if (status !== 201) throw new Error(`${who} cannot sign in: ${JSON.stringify(body)}`);
    return body.access_token;
  };
  const tokenOf = (who: Who): Promise<string> => {
    const token = tokens.get(who) ?? signIn(who);
    tokens.set(who, token);
    return token;
  };

  return {
    storage: used,
    versions: app.versions.map(({ id }) => id),
    call: async (who, method, target, body, version = newest) => {
      const headers = {
        authorization: `Bearer ${await tokenOf(who)}`,
        ...(method === "GET" || method === "POST" ? {} : { "if-match": "*" }),
      };
      return send(method, `${origin}/api${version === "" ? "" : `/${version}`}${target}`, headers, body);
    },
  };
};

/** Stores the three users. */
export const storeUsers = async ({ resources }: Storage): Promise<void> => {
  const hash = await memoryPasswordHasher().hash(password);
  for (const who of people) {
    const role = who === "root" ? "admin" : "user";
    await resources.insert(user, userRow(numberOf[who], { role, password: hash }));
  }
};
