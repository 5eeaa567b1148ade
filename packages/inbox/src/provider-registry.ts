import type { Ports } from "@postern/core";
import { AppError } from "@postern/core";
import { gcra, utf8Decode } from "@postern/core/internal";
import type { StoredProvider } from "@postern/core/ports";
import {
  createVerifier,
  type Fetch,
  jwks,
  type Key,
  type KeySource,
  type Scheme,
  type Settings,
  traceVerification,
  type VerifierOptions,
  WebhookConfigError,
} from "@postern/webhook-verifier";
import { loadScheme, schemeNames } from "@postern/webhook-verifier/load-scheme";
import { defineProvider, type Provider } from "./provider.ts";

/** The declaration of a sender: how it signs, and what is needed to check that. */
export interface ProviderDefinition {
  readonly name: string;
  readonly scheme: Scheme;
  readonly keys: readonly (string | Key)[];
  /**
   * A source of keys in place of the keys: `snsCertificates()`, `graphKeys(…)`, or a look-up of
   * your own.
   */
  readonly keySource?: KeySource | undefined;
  /** Where the sender publishes its public keys, in place of the keys themselves. */
  readonly jwksUrl?: string | undefined;
  readonly settings?: Settings | undefined;
  readonly toleranceSeconds?: number | undefined;
  /** Also accepts secrets under 16 bytes. Only for senders whose secret you cannot replace. */
  readonly allowShort?: boolean | undefined;
  /** What makes a delivery a repeat, in place of what the scheme says. */
  readonly dedupe?: VerifierOptions["dedupe"];
  readonly schemas?: Provider["schemas"];
  readonly headers?: Provider["headers"];
  readonly replayOnResend?: Provider["replayOnResend"];
  readonly keepRefusedBodies?: Provider["keepRefusedBodies"];
}

/**
 * The senders whose webhooks this server accepts: those in the configuration, and those that were
 * added at run time on any node.
 */
export interface Providers {
  /**
   * The provider as it was at most `maxAgeMs` ago (default two seconds).
   * @throws AppError `unavailable` if the database is away and was never read, or if the provider's
   * keys cannot be decrypted.
   */
  find(name: string, maxAgeMs?: number): Promise<Provider | undefined>;
  /**
   * The provider as it is now. Use it if the one at hand does not fit: another node may just have
   * changed it. It looks at most five times a second, so that a flood of forged webhooks costs no
   * more; beyond that it works like `find`.
   */
  findNewest(name: string): Promise<Provider | undefined>;
  /**
   * Stores the key that came with a sender's handshake, encrypted. It also removes the setting that
   * allowed this, so that no further key is accepted.
   * @returns False if the key cannot be stored: the provider is in the configuration, or has
   *   accepted another key meanwhile.
   */
  keepHandshakeKey(name: string, key: string): Promise<boolean>;
  /** All of which this process knows by now, without a look at the database. */
  known(): readonly Provider[];
  /** The providers in the configuration. */
  readonly configured: ReadonlyMap<string, Provider>;
}

const usualAgeMs = 2_000;
const newestLooks = { key: "newest", limit: 5, windowMs: 1_000 };

/**
 * Fetches key sets and confirms handshakes. It calls public addresses only, through the same port
 * as every other outgoing request.
 */
const fetchThrough =
  ({ fetcher }: Pick<Ports, "fetcher">): Fetch =>
  async (url, { headers }) => {
    const answer = await fetcher.fetch({
      url,
      method: "GET",
      timeoutMs: 3_000,
      ...(headers === undefined ? {} : { headers }),
    });
    return {
      status: answer.status,
      headers: { get: (name) => answer.headers[name.toLowerCase()] ?? null },
      text: async () => utf8Decode(answer.body),
    };
  };

/** A key set is public, so a scheme whose keys are all shared with the sender cannot use one. */
const checkKeySet = ({ name, key }: Scheme): void => {
  if (key.algorithms.every((algorithm) => /^(?:hmac|token|sha)/.test(algorithm)))
    throw new WebhookConfigError(
      "key_invalid",
      `${name} signs with a shared secret, which no key set contains: give the secret itself.`,
    );
};

/**
 * Makes a provider that can verify webhooks.
 * @throws WebhookConfigError when a key or a setting cannot be used; the message repeats neither.
 * TypeError for an invalid name or schema.
 */
export const openProvider = (ports: Pick<Ports, "clock" | "fetcher">, definition: ProviderDefinition): Provider => {
  const { name, scheme, keys, keySource, jwksUrl, settings, toleranceSeconds, allowShort, dedupe } = definition;
  const { schemas, headers, replayOnResend, keepRefusedBodies } = definition;
  const fetch = fetchThrough(ports);
  if (jwksUrl !== undefined) checkKeySet(scheme);
  const options: VerifierOptions = {
    keys: keySource ?? (jwksUrl !== undefined ? jwks(jwksUrl, { fetch }) : keys),
    fetch,
    settings,
    toleranceSeconds,
    allowShort,
    dedupe,
    now: () => ports.clock.now(),
  };
  return defineProvider({
    name,
    verifier: createVerifier(scheme, options),
    headers,
    replayOnResend,
    keepRefusedBodies,
    trace: (request, at) => traceVerification(scheme, { ...options, now: () => at }, request),
    ...(schemas === undefined ? {} : { schemas }),
  });
};

/** The scheme of that name, if there is one. Loads its module alone. */
export const schemeNamed = async (name: string): Promise<Scheme | undefined> =>
  schemeNames.includes(name) ? loadScheme(name) : undefined;

/**
 * The context under which a provider's secrets are sealed, so that nobody can swap one secret for
 * another.
 */
export const sealContext = (what: "key" | "settings", providerId: string): string =>
  `webhook provider ${providerId} ${what}`;

/**
 * The definition of a stored provider, with its secrets opened.
 * @throws Error when they were sealed under another secret key.
 */
export const definitionOf = async (
  { secretBox }: Pick<Ports, "secretBox">,
  stored: StoredProvider,
): Promise<ProviderDefinition> => {
  if (stored.unreadable !== undefined) throw new Error(stored.unreadable);
  const scheme = await schemeNamed(stored.scheme);
  if (scheme === undefined) throw new Error(`there is no scheme "${stored.scheme}" here`);
  const { id, name, jwksUrl, toleranceSeconds, allowShort, dedupe, replayOnResend, schemas, sealedSettings } = stored;
  const { headers, keepRefusedBodies } = stored;
  return {
    name,
    scheme,
    keys: await Promise.all(
      stored.keys.map(
        async ({ keyId, sealedKey, notBefore, notAfter }): Promise<Key> => ({
          key: await secretBox.open(sealedKey, sealContext("key", id)),
          ...(keyId === undefined ? {} : { id: keyId }),
          notBefore,
          notAfter,
        }),
      ),
    ),
    jwksUrl,
    toleranceSeconds,
    allowShort,
    dedupe,
    headers,
    replayOnResend,
    keepRefusedBodies,
    ...(schemas === undefined ? {} : { schemas }),
    ...(sealedSettings === undefined
      ? {}
      : { settings: JSON.parse(await secretBox.open(sealedSettings, sealContext("settings", id))) }),
  };
};

/**
 * The definition of a provider that was added at run time, with its secrets. For code that signs
 * test events as the sender does.
 */
export const storedDefinition = async (
  ports: Pick<Ports, "storage" | "secretBox">,
  name: string,
): Promise<ProviderDefinition | undefined> => {
  const stored = await ports.storage.providers.find(name);
  return stored === undefined ? undefined : definitionOf(ports, stored);
};

/** The setting that allows a scheme to accept a key from its handshake. */
const doorSetting = "acceptSecret";

const keepHandshakeKey = async (ports: Ports, name: string, key: string): Promise<boolean> => {
  const { storage, secretBox, clock, ids } = ports;
  const now = clock.now();
  return storage.transaction(async ({ providers }) => {
    // If two handshakes race, the second waits here, and then sees that no further key is accepted.
    const stored = await providers.hold(name);
    if (stored?.sealedSettings === undefined) return false;
    const context = sealContext("settings", stored.id);
    const opened: Settings = JSON.parse(await secretBox.open(stored.sealedSettings, context));
    const { [doorSetting]: door, ...settings } = opened;
    if (door === undefined) return false;
    const sealedSettings = await secretBox.seal(JSON.stringify(settings), context);
    const sealedKey = await secretBox.seal(key, sealContext("key", stored.id));
    const made = { id: ids.uuid(), keyId: undefined, sealedKey, notBefore: now, notAfter: undefined };
    await providers.save({ ...stored, sealedSettings, keys: [...stored.keys, made] }, now);
    return true;
  });
};

interface Opened {
  /**
   * The stored form from which the provider was made. If it has not changed, the provider is kept,
   * and with it the key set it has fetched.
   */
  readonly madeOf: string;
  readonly provider: Provider | AppError;
}

/**
 * Finds providers by name. When the last look is two seconds old, the next caller causes stored
 * providers to be read again. While the database is away, the last known providers are used.
 */
export const createProviders = (ports: Ports, configured: ReadonlyMap<string, Provider>): Providers => {
  const { storage, clock, telemetry } = ports;
  let known: ReadonlyMap<string, Opened> | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;
  let looksTat: number | undefined;

  const open = async (stored: StoredProvider): Promise<Opened["provider"]> => {
    try {
      return openProvider(ports, await definitionOf(ports, stored));
    } catch (thrown) {
      telemetry.log("error", "a stored provider cannot be used", { provider: stored.name }, thrown);
      return new AppError("unavailable", {
        detail: "This provider's keys cannot be used at the moment.",
        headers: { "retry-after": "30" },
        cause: thrown,
      });
    }
  };

  const look = async (): Promise<void> => {
    const found = new Map<string, Opened>();
    for (const stored of await storage.providers.list()) {
      const madeOf = JSON.stringify(stored);
      const before = known?.get(stored.name);
      found.set(stored.name, before?.madeOf === madeOf ? before : { madeOf, provider: await open(stored) });
    }
    known = found;
  };

  const refresh = async (): Promise<void> => {
    looking ??= look().finally(() => {
      lookedAt = clock.monotonic();
      looking = undefined;
    });
    try {
      await looking;
    } catch (thrown) {
      if (known === undefined) throw thrown;
      telemetry.log("warn", "the stored providers cannot be read; the last ones known are used", {}, thrown);
    }
  };

  const find: Providers["find"] = async (name, maxAgeMs = usualAgeMs) => {
    const own = configured.get(name);
    if (own !== undefined) return own;
    if (clock.monotonic() - lookedAt >= maxAgeMs) await refresh();
    const provider = known?.get(name)?.provider;
    if (provider instanceof AppError) throw provider;
    return provider;
  };

  return {
    configured,
    find,
    known: () => {
      const stored = [...(known ?? new Map<string, Opened>()).values()];
      return [
        ...configured.values(),
        ...stored.flatMap(({ provider }) => (provider instanceof AppError ? [] : [provider])),
      ];
    },
    keepHandshakeKey: async (name, key) => {
      const kept = !configured.has(name) && (await keepHandshakeKey(ports, name, key));
      if (kept) await find(name, 0);
      return kept;
    },
    findNewest: async (name) => {
      if (configured.has(name)) return find(name);
      const { decision, tat } = gcra(looksTat, { ...newestLooks, now: clock.monotonic() });
      looksTat = tat;
      return find(name, decision.allowed ? 0 : usualAgeMs);
    },
  };
};

/**
 * Why a key or a setting cannot be used, in words for the person who entered it; `undefined` for
 * any other error.
 */
export const whyUnusable = (thrown: unknown): string | undefined =>
  thrown instanceof WebhookConfigError || thrown instanceof TypeError ? thrown.message : undefined;
