import { createHmac } from "node:crypto";
import { openProvider, type Ports, type Provider, type ProviderDefinition } from "@postern/core";
import { findScheme, type Scheme, WebhookConfigError } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { ConfigError } from "./config-error.ts";
import type { PosternConfig, ProviderDeclaration } from "./config-file.ts";
import type { ProviderEnvironment } from "./provider-environment.ts";

/** A provider with what it takes to sign like its sender, where that is a shared secret: for test events from the command line. */
export type ConfiguredProvider = Omit<ProviderDefinition, "keys"> & { readonly keys: readonly string[] };

/** Whether its events can be signed here, too: the sender's side of the key is the same shared secret. */
export const canSign = ({ scheme, keys }: ProviderDefinition): boolean =>
  scheme.key.secret === true && keys.length > 0 && (scheme.sign !== undefined || scheme.layout !== undefined);

/** The provider that stands in when none is configured, so that the first webhook can be sent before any sender is known. */
const demoProviderName = "demo";

const demoProvider = (secretKeys: readonly Buffer[]): ConfiguredProvider => ({
  name: demoProviderName,
  scheme: standardWebhooks,
  keys: secretKeys.map((key) => `whsec_${createHmac("sha256", key).update("demo webhook secret").digest("base64")}`),
});

const asList = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : value;

/** The scheme that a declaration names; a fault that suggests the nearest one where there is none. */
const schemeOf = (name: string, named: string | Scheme, faults: string[]): Scheme | undefined => {
  if (typeof named !== "string") return named;
  try {
    return findScheme(named);
  } catch (thrown) {
    if (!(thrown instanceof WebhookConfigError)) throw thrown;
    faults.push(
      `Provider ${name}: ${thrown.message} Name one with WEBHOOK_${name.toUpperCase().replaceAll("-", "_")}_SCHEME or \`scheme\`; the README of @postern/webhook-verifier lists all.`,
    );
    return undefined;
  }
};

const declared = (name: string, declaration: ProviderDeclaration, faults: string[]): ConfiguredProvider | undefined => {
  const scheme = schemeOf(name, declaration.scheme ?? name, faults);
  if (scheme === undefined) return undefined;
  const keys = [...asList(declaration.secret), ...asList(declaration.publicKey)];
  const { jwksUrl, keySource, settings, toleranceSeconds, allowShort, schemas } = declaration;
  if ([keys.length > 0, jwksUrl !== undefined, keySource !== undefined].filter(Boolean).length !== 1) {
    faults.push(
      scheme.keyFromHandshake === true
        ? `Provider ${name}: its key comes with a handshake and is kept in the database; add it with \`postern providers add\`.`
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
    ...(schemas === undefined ? {} : { schemas }),
  };
};

const fromEnvironment = ({
  scheme,
  secrets,
  publicKeys,
  jwksUrl,
  allowShort,
}: ProviderEnvironment): ProviderDeclaration => ({
  ...(scheme === undefined ? {} : { scheme }),
  secret: secrets,
  publicKey: publicKeys,
  allowShort,
  ...(jwksUrl === undefined ? {} : { jwksUrl }),
});

/**
 * The providers of the environment and of the configuration file; the demo provider when there are none.
 * @throws ConfigError for an unknown scheme, a missing key, or a name that both declare.
 */
export const configuredProviders = (
  environment: readonly ProviderEnvironment[],
  file: PosternConfig,
  secretKeys: readonly Buffer[],
): readonly ConfiguredProvider[] => {
  const faults: string[] = [];
  const declarations = new Map<string, ProviderDeclaration>(Object.entries(file.providers ?? {}));
  for (const provider of environment) {
    if (declarations.has(provider.name)) {
      faults.push(`Provider ${provider.name} stands in the environment and in the configuration file; keep one.`);
    }
    declarations.set(provider.name, fromEnvironment(provider));
  }
  const providers = [...declarations].flatMap(([name, declaration]) => declared(name, declaration, faults) ?? []);
  if (faults.length > 0) throw new ConfigError(faults);
  return providers.length === 0 ? [demoProvider(secretKeys)] : providers;
};

/** @throws ConfigError when a key is not in its sender's notation, or a schema makes no sense; the key itself is not shown. */
export const openProviders = (
  configured: readonly ConfiguredProvider[],
  ports: Pick<Ports, "clock" | "fetcher">,
): readonly Provider[] =>
  configured.map((definition) => {
    try {
      return openProvider(ports, definition);
    } catch (thrown) {
      // A verifier says in this class what is wrong with a key or a setting.
      if (thrown instanceof TypeError) throw new ConfigError([`Provider ${definition.name}: ${thrown.message}`]);
      throw thrown;
    }
  });
