import { createHmac } from "node:crypto";
import type { Ports } from "@postern/core";
import type { Provider, ProviderDefinition } from "@postern/inbox";
import { openProvider } from "@postern/inbox/internal";
import { type Scheme, WebhookConfigError } from "@postern/webhook-verifier";
import { loadScheme } from "@postern/webhook-verifier/load-scheme";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import type { ServerConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import type { PosternConfig } from "./config-file.ts";
import type { ProviderDeclaration } from "./settings/senders.ts";

/**
 * A provider with its keys as texts. If the key is a shared secret, the command line can sign test
 * events like the sender.
 */
export type ConfiguredProvider = Omit<ProviderDefinition, "keys"> & { readonly keys: readonly string[] };

/** Whether we can sign its events, too: the sender uses the same shared secret. */
export const canSign = ({ scheme, keys }: ProviderDefinition): boolean =>
  scheme.key.secret === true && keys.length > 0 && (scheme.sign !== undefined || scheme.layout !== undefined);

/**
 * The provider that is used if none is configured, so that you can send a first webhook before you
 * have a sender.
 */
const demoProviderName = "demo";

const demoProvider = (secretKeys: readonly Buffer[]): ConfiguredProvider => ({
  name: demoProviderName,
  scheme: standardWebhooks,
  keys: secretKeys.map((key) => `whsec_${createHmac("sha256", key).update("demo webhook secret").digest("base64")}`),
});

const asList = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : value;

/**
 * The scheme that a declaration names. If there is none, adds a fault that suggests the nearest
 * name.
 */
const schemeOf = async (name: string, named: string | Scheme, faults: string[]): Promise<Scheme | undefined> => {
  if (typeof named !== "string") return named;
  try {
    return await loadScheme(named);
  } catch (thrown) {
    if (!(thrown instanceof WebhookConfigError)) throw thrown;
    faults.push(
      `Provider ${name}: ${thrown.message} Name one with WEBHOOK_${name.toUpperCase().replaceAll("-", "_")}_SCHEME or \`scheme\`; the README of @postern/webhook-verifier lists all.`,
    );
    return undefined;
  }
};

const declared = async (
  name: string,
  declaration: ProviderDeclaration,
  faults: string[],
): Promise<ConfiguredProvider | undefined> => {
  const scheme = await schemeOf(name, declaration.scheme ?? name, faults);
  if (scheme === undefined) return undefined;
  const keys = [...asList(declaration.secret), ...asList(declaration.publicKey)];
  const { jwksUrl, keySource, settings, toleranceSeconds, allowShort, dedupe, replayOnResend, schemas } = declaration;
  const { headers, keepRefusedBodies } = declaration;
  if ([keys.length > 0, jwksUrl !== undefined, keySource !== undefined].filter(Boolean).length !== 1) {
    faults.push(
      scheme.keyComes !== undefined
        ? `Provider ${name}: the sender calls before it gives the key; add it with \`postern providers add\`, and the key when you have it.`
        : `Provider ${name}: give it keys (a secret or a public key), the address of a key set, or in a configuration file a source of keys; one of them.`,
    );
    return undefined;
  }
  return {
    name,
    scheme,
    keys,
    keySource,
    jwksUrl,
    settings,
    toleranceSeconds,
    allowShort,
    dedupe,
    headers,
    replayOnResend,
    keepRefusedBodies,
    ...(schemas === undefined ? {} : { schemas }),
  };
};

/** What the configuration file says of one sender. A text is its secret. */
const spelledOut = (
  name: string,
  given: ProviderDeclaration | string | undefined,
  faults: string[],
): ProviderDeclaration | undefined => {
  if (typeof given === "object") return given;
  if (typeof given === "string" && given !== "") return { secret: given };
  faults.push(
    `Provider ${name}: its secret is ${given === "" ? "empty" : "undefined"}; is the variable that it comes from set?`,
  );
  return undefined;
};

/**
 * The providers of the environment and of the configuration file; the demo provider if there are
 * none.
 * @throws ConfigError for an unknown scheme, a missing key, or a name that both declare.
 */
export const configuredProviders = async (
  environment: ServerConfig["senders"],
  file: PosternConfig,
  secretKeys: readonly Buffer[],
): Promise<readonly ConfiguredProvider[]> => {
  const faults: string[] = [];
  const declarations = new Map<string, ProviderDeclaration>();
  for (const [name, given] of Object.entries(file.providers ?? {})) {
    const declaration = spelledOut(name, given, faults);
    if (declaration !== undefined) declarations.set(name, declaration);
  }
  for (const [name, declaration] of Object.entries(environment)) {
    if (declarations.has(name))
      faults.push(`Provider ${name} stands in the environment and in the configuration file; keep one.`);
    declarations.set(name, declaration);
  }
  const providers: ConfiguredProvider[] = [];
  // One after the other, so that faults are reported in the order of the configuration.
  for (const [name, declaration] of declarations) {
    const provider = await declared(name, declaration, faults);
    if (provider !== undefined) providers.push(provider);
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return providers.length === 0 ? [demoProvider(secretKeys)] : providers;
};

/**
 * @throws ConfigError when a key is not in its sender's notation, or a schema is invalid; it does
 *   not show the key.
 */
export const openProviders = (
  configured: readonly ConfiguredProvider[],
  ports: Pick<Ports, "clock" | "fetcher">,
): readonly Provider[] =>
  configured.map((definition) => {
    try {
      return openProvider(ports, definition);
    } catch (thrown) {
      // A verifier throws this class for a key or a setting that is wrong.
      if (thrown instanceof TypeError) throw new ConfigError([`Provider ${definition.name}: ${thrown.message}`]);
      throw thrown;
    }
  });
