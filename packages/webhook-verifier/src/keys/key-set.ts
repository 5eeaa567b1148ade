import { refuse, WebhookVerificationError } from "../errors.ts";
import { URL } from "../runtime.ts";
import type { Fetch, KeySource, Signal } from "../scheme.ts";
import { invalidKey, type Jwk, type Key } from "./key.ts";

/** How a published key set is fetched and how long it is kept. */
export interface KeySetOptions {
  /** Hosts that keys may come from, as exact names. Default: the host of the URL itself. */
  readonly hosts?: readonly string[] | undefined;
  /**
   * Default: the platform's `fetch`. Redirects are refused, even if this function would follow
   * them.
   */
  readonly fetch?: Fetch | undefined;
  /** How many seconds keys are used before they are fetched again. Default: 3600. */
  readonly maxAgeSeconds?: number | undefined;
  /** Shortest time between two requests, in seconds, even for unknown key ids. Default: 60. */
  readonly minIntervalSeconds?: number | undefined;
  /** How many seconds old keys are used while the sender cannot be reached. Default: 86400. */
  readonly staleSeconds?: number | undefined;
  /** Headers of the request, for senders that require a credential. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Makes keys from the parsed JSON answer. By default it reads a JWK set (RFC 7517). */
  readonly read?: ((answer: unknown) => readonly Key[]) | undefined;
}

const maxCharacters = 65_536;
const timeoutMs = 3000;

/** Whether a host name is an IP address. Senders never use one. */
const isAddress = (host: string): boolean => host.startsWith("[") || /^[\d.]+$/.test(host) || !host.includes(".");

/**
 * Parses an https URL on one of `hosts` with the default port and no credentials; `undefined` for
 * everything else.
 */
export const urlOn = (text: string, isHost: (host: string) => boolean): string | undefined => {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  const plain = url.protocol === "https:" && url.port === "" && url.username === "" && url.password === "";
  return plain && !isAddress(url.hostname) && isHost(url.hostname) ? url.href : undefined;
};

const readJwks = (answer: unknown): readonly Key[] => {
  const keys = (answer as { readonly keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys)) throw new TypeError("not a JWK set");
  // Members are checked when the scheme takes the key in. Unfit ones are skipped there.
  return (keys as readonly Jwk[])
    .filter((key) => typeof key === "object" && key !== null && (key.use === undefined || key.use === "sig"))
    .map((key) => ({ key, id: key.kid }));
};

/**
 * The parts of the global `fetch` and `AbortSignal` that are used. The cast only states that they
 * may be missing.
 */
const web = globalThis as unknown as {
  readonly fetch?: Fetch;
  readonly AbortSignal?: { timeout?(ms: number): Signal };
};

/**
 * Fetches text. It follows no redirect, and stops after three seconds or 64 KiB. @throws
 * WebhookVerificationError `key_unavailable`
 */
export const fetchText = async (
  url: string,
  fetch: Fetch | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const send = fetch ?? web.fetch ?? refuse("key_unavailable", "This runtime has no fetch: give one.");
  try {
    const signal = web.AbortSignal?.timeout?.(timeoutMs);
    const answer = await send(url, {
      headers: { ...headers },
      redirect: "error",
      ...(signal !== undefined && { signal }),
    });
    if (answer.status !== 200) throw new TypeError(`status ${answer.status}`);
    const text = await answer.text();
    if (text.length > maxCharacters) throw new TypeError(`more than ${maxCharacters} characters`);
    return text;
  } catch (cause) {
    if (cause instanceof WebhookVerificationError) throw cause;
    return refuse("key_unavailable", `The keys at ${new URL(url).host} could not be fetched.`, cause);
  }
};

interface Kept {
  readonly keys: readonly Key[];
  readonly at: number;
}

/** How many ids that the set lacks are remembered until the next fetch. */
const maxAbsent = 100;

/**
 * Fetches the keys that are published at `url` when they are first needed, and keeps them. Any
 * number of simultaneous deliveries share one request.
 *
 * An unknown key id fetches the set again, at most once per `minIntervalSeconds`. Within that time
 * the id that caused the fetch is `key_unknown`. Any other unknown id is `key_unavailable`, because
 * the sender may have published it since. If the set cannot be fetched, the old keys are used for
 * `staleSeconds` more.
 * @throws WebhookConfigError `key_invalid` for a URL that is not https on an allowed host.
 */
export const jwks = (url: string, options: KeySetOptions = {}): KeySource => {
  const { maxAgeSeconds = 3600, minIntervalSeconds = 60, staleSeconds = 86_400, read = readJwks } = options;
  const address = urlOn(url, (host) => options.hosts?.includes(host) ?? true);
  if (address === undefined) return invalidKey("a key set needs an https URL on an allowed host.");
  let kept: Kept | undefined;
  let lastTry = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  let running: Promise<void> | undefined;
  const absent = new Set<string>();

  const refresh = async (at: number): Promise<void> => {
    lastTry = at;
    try {
      const answer: unknown = JSON.parse(await fetchText(address, options.fetch, options.headers));
      kept = { keys: read(answer), at };
      failure = undefined;
      absent.clear();
    } catch (cause) {
      failure = cause;
    }
  };

  /** Waits for the request that is running, or starts one. False if it is too soon for another. */
  const refreshed = async (at: number): Promise<boolean> => {
    if (running === undefined) {
      if (at - lastTry < minIntervalSeconds * 1000 && at >= lastTry) return false;
      running = refresh(at).finally(() => {
        running = undefined;
      });
    }
    await running;
    return failure === undefined;
  };

  const keysFor = (keyId: string | undefined): readonly Key[] =>
    kept?.keys.filter(({ id }) => keyId === undefined || id === undefined || id === keyId) ?? [];

  return {
    find: async (keyId, at) => {
      const isFresh = kept !== undefined && at - kept.at < maxAgeSeconds * 1000;
      const fetched = isFresh && keysFor(keyId).length > 0 ? undefined : await refreshed(at);
      if (kept === undefined || at - kept.at > (maxAgeSeconds + staleSeconds) * 1000)
        return refuse("key_unavailable", "The sender's keys could not be fetched.", failure);
      const keys = keysFor(keyId);
      if (keys.length > 0 || keyId === undefined) return keys;
      if (fetched && absent.size < maxAbsent) absent.add(keyId);
      if (fetched || absent.has(keyId)) return [];
      return refuse("key_unavailable", "The key is not in the sender's set, which was fetched moments ago.", failure);
    },
  };
};
