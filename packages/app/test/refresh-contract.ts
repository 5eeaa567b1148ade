import { builtInVersions, createApp } from "@postern/app";
import { allRows, type Resource, type Storage } from "@postern/core";
import { memoryPorts, seededRandomness, type VirtualClock, virtualClock } from "@postern/core/memory";
import type { HandlerContext } from "@postern/jobs";
import { limitsOf, type RootedRequest, versionOf } from "@postern/rest";
import { expect } from "vitest";
import { exchangeCode, exchangeRefreshToken, type GrantTokens, makeGrant } from "../src/oauth/grants.ts";
import type { OAuthParts } from "../src/oauth/oauth-parts.ts";
import { challengeOf } from "../src/oauth/random-text.ts";
import { client as clients } from "../src/resources/client.ts";
import { grant } from "../src/resources/grant.ts";
import { session } from "../src/resources/session.ts";
import { defaultSettings } from "../src/settings.ts";
import { successorSchedule } from "../src/tokens/successor-schedule.ts";

/** Two processes that exchange refresh tokens of one session or one grant. */
interface Pair {
  readonly clock: VirtualClock;
  /** The first refresh token. */
  readonly first: string;
  /** The next refresh token; `refused` if there is none. */
  exchange(process: 0 | 1, token: string): Promise<string>;
  /** How many tokens are stored encrypted. */
  kept(): Promise<number>;
  /** Ends the session or the grant. */
  end(): Promise<void>;
  /** Runs the job that erases what was kept long enough. */
  erase(): Promise<void>;
}

/** Two storages on one database; in memory, twice the same one. */
type Storages = readonly [Storage, Storage];

const system = allRows("test");
const address = "192.0.2.1";
const operator = { kind: "operator", name: "test" } as const;

/** Whose time counts, where the database has one. */
interface Clocks {
  readonly time?: "of the database";
}

/** Clocks are virtual, so the database's clock must not count. */
const withoutTime = (storage: Storage, { time }: Clocks): Storage => {
  if (time !== undefined) return storage;
  const runners = Object.create(storage.runners, { databaseTime: { value: async () => undefined } });
  return Object.create(storage, { runners: { value: runners } });
};

const processesOn = ([left, right]: Storages, clocks: Clocks) => {
  const clock = virtualClock();
  const one = memoryPorts({ storage: withoutTime(left, clocks), clock });
  const two = memoryPorts({
    storage: withoutTime(right, clocks),
    clock,
    signer: one.signer,
    randomness: seededRandomness(2),
  });
  const settings = { rateLimits: "off" } as const;
  const apps = [one, two].map((ports) => createApp({ versions: builtInVersions, ports, settings }));
  const [app] = apps;
  if (app === undefined) throw new Error("there are two");
  const call = async (process: 0 | 1, id: string, body: object, as?: typeof operator) => {
    const found = apps[process] ?? app;
    if (as !== undefined) return (await found.run({ operation: id, principal: as, body })).body as { id: string };
    const version = versionOf(found.versions, "v2");
    const operation = version.operations.find((each) => each.id === id);
    if (operation === undefined) throw new Error(id);
    const answer = await found.handle({
      operation,
      facts: { id: "request-1", version, base: "/api/v2", target: `/api/v2${operation.path}`, address },
      params: {},
      query: [],
      body: async () => ({ value: body, text: JSON.stringify(body) }),
      headers: {},
      credential: undefined,
    });
    return answer.body as { id: string; refresh_token?: string };
  };
  const kept = async (resource: Resource): Promise<number> => {
    const order = [{ field: "id", direction: "asc" }] as const;
    const rows = await left.resources.list(resource, { scope: system, order, limit: 10 });
    return rows.filter(({ successor }) => successor !== null).length;
  };
  const erase = async (): Promise<void> => {
    await clock.advance(30_000);
    await successorSchedule(one).run({ slot: 0 }, { signal: new AbortController().signal } as HandlerContext);
  };
  return { clock, ports: [one, two] as const, call, kept, erase };
};

const newUser = (call: ReturnType<typeof processesOn>["call"], email: string) =>
  call(0, "users.create", { name: "Ada", email, password: "correct horse battery" });

/** Sessions of the API itself. */
const sessionPair = async (storages: Storages, clocks: Clocks = {}): Promise<Pair> => {
  const { clock, call, kept, erase } = processesOn(storages, clocks);
  const email = "ada@example.com";
  await newUser(call, email);
  const first = await call(0, "sessions.create", { email, password: "correct horse battery" });
  return {
    clock,
    first: String("refresh_token" in first && first.refresh_token),
    exchange: async (process, refresh_token) => {
      const body = await call(process, "sessions.refresh", { refresh_token });
      return "refresh_token" in body ? String(body.refresh_token) : "refused";
    },
    kept: () => kept(session),
    end: async () => void (await storages[1].resources.deleteWhere(session, system, system.where)),
    erase,
  };
};

/** Grants of OAuth 2. */
const grantPair = async (storages: Storages, clocks: Clocks = {}): Promise<Pair> => {
  const { clock, ports, call, kept, erase } = processesOn(storages, clocks);
  const { id: user_id } = await newUser(call, "grace@example.com");
  const scopes = ["posts:read"];
  const redirectUri = "https://app.example.com/back";
  const made = await call(
    0,
    "admin.clients.create",
    { name: "c", user_id, scopes, redirect_uris: [redirectUri] },
    operator,
  );
  const client = await storages[0].resources.find(clients, made.id, system);
  if (client === undefined) throw new Error("there is no client");
  const verifier = "v".repeat(43);
  const settings = { ...defaultSettings, rateLimits: "off" } as const;
  const partsOf = (process: 0 | 1) =>
    // Only what grants use of them.
    ({
      ports: ports[process],
      settings,
      limitsFor: () => limitsOf(ports[0], settings)({}),
    }) as unknown as OAuthParts;
  const request = { id: "request-1", address } as RootedRequest;
  const challenge = await challengeOf(verifier);
  const code = await makeGrant(partsOf(0), request, { userId: user_id, client, scopes, redirectUri, challenge });
  const form = new Map(Object.entries({ code, code_verifier: verifier, redirect_uri: redirectUri }));
  const exchanging = {
    client,
    answerWith: async ({ refreshToken }: GrantTokens) => ({ status: 200, text: refreshToken }),
  };
  const { text: first = "" } = await exchangeCode(partsOf(0), request, { ...exchanging, form });
  return {
    clock,
    first,
    exchange: (process, token) =>
      exchangeRefreshToken(partsOf(process), request, {
        ...exchanging,
        form: new Map([["refresh_token", token]]),
      }).then(
        ({ text = "" }) => text,
        () => "refused",
      ),
    kept: () => kept(grant),
    end: async () => void (await storages[1].resources.deleteWhere(grant, system, system.where)),
    erase,
  };
};

export const refreshed = { "a session": sessionPair, "a grant": grantPair } as const;

/** What holds for refresh tokens of sessions and of grants, on every storage. */
export const refreshContract: Readonly<Record<string, (pair: Pair) => Promise<void>>> = {
  "gives all of many exchanges at the same moment the same successor": async ({ first, exchange, clock }) => {
    const given = await Promise.all(Array.from({ length: 16 }, (_, n) => exchange(n % 2 === 0 ? 0 : 1, first)));
    expect(new Set(given).size).toBe(1);
    const [next = ""] = given;
    expect(next).not.toBe("refused");
    await clock.advance(10_000);
    const after = await Promise.all(Array.from({ length: 16 }, (_, n) => exchange(n % 2 === 0 ? 1 : 0, next)));
    expect(new Set(after).size).toBe(1);
    expect(after).not.toContain("refused");
  },
  "gives the same successor again for 30 seconds, however often it is asked": async ({ first, exchange, clock }) => {
    const next = await exchange(0, first);
    await clock.advance(20_000);
    expect(await exchange(1, first)).toBe(next);
    await clock.advance(9_999);
    expect(await exchange(0, first)).toBe(next);
    await clock.advance(1);
    expect(await exchange(1, first)).toBe("refused");
    expect(await exchange(0, next)).toBe("refused");
  },
  "ends with the first token after its successor was used": async ({ first, exchange }) => {
    const second = await exchange(0, first);
    const third = await exchange(1, second);
    expect(await exchange(0, first)).toBe("refused");
    expect(await exchange(0, third)).toBe("refused");
  },
  "refuses at once when it was ended": async ({ first, exchange, end }) => {
    const next = await exchange(0, first);
    await end();
    expect([await exchange(0, first), await exchange(1, first), await exchange(0, next)]).toEqual([
      "refused",
      "refused",
      "refused",
    ]);
  },
  "keeps one successor, and none after its time": async ({ first, exchange, kept, erase }) => {
    expect(await kept()).toBe(0);
    const second = await exchange(0, first);
    expect(await kept()).toBe(1);
    const third = await exchange(1, second);
    expect(await kept()).toBe(1);
    await erase();
    expect(await kept()).toBe(0);
    expect(await exchange(0, third)).not.toBe("refused");
  },
};
