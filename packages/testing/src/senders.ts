import { generateKeyPairSync } from "node:crypto";
import { checkSigningKeys, type Scheme, type Settings } from "@postern/webhook-verifier";
import { loadScheme, schemeNames } from "@postern/webhook-verifier/load-scheme";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import type { PosternConfig, ProviderDeclaration } from "postern";

/** A sender that a test can play. */
export interface Sender {
  /** How Postern knows it. */
  readonly declaration: ProviderDeclaration;
  readonly scheme: Scheme;
  /** The key with which it signs; `undefined` if only the real sender has it. */
  readonly signingKey: string | undefined;
  readonly settings: Settings | undefined;
}

/** The declarations that name senders. */
export type NamingSenders = Pick<PosternConfig, "handlers" | "parts" | "providers" | "routes">;

const bytes = Buffer.alloc(32, "a secret of tests");
/** One secret in the notations that senders use. */
const secrets = [`whsec_${bytes.toString("base64")}`, bytes.toString("base64"), bytes.toString("hex")];

const canSign = (scheme: Scheme, key: string): boolean => {
  try {
    checkSigningKeys(scheme, key);
    return true;
  } catch {
    return false;
  }
};

/** A key pair as PEM. */
interface KeyPair {
  readonly publicKey: string;
  readonly privateKey: string;
}

const generated = (algorithm: string) => {
  if (algorithm.startsWith("rsa")) return generateKeyPairSync("rsa", { modulusLength: 2048 });
  const [, curve] = /^ecdsa-p(256|384|521)/.exec(algorithm) ?? [];
  return curve === undefined ? generateKeyPairSync("ed25519") : generateKeyPairSync("ec", { namedCurve: `P-${curve}` });
};

const newPair = (algorithm: string): KeyPair => {
  const { publicKey, privateKey } = generated(algorithm);
  return {
    publicKey: String(publicKey.export({ type: "spki", format: "pem" })),
    privateKey: String(privateKey.export({ type: "pkcs8", format: "pem" })),
  };
};

/** A process makes one pair for each algorithm, because an RSA key takes a tenth of a second. */
const pairs = new Map<string, KeyPair>();

const pairFor = (algorithm: string): KeyPair => {
  const known = pairs.get(algorithm) ?? newPair(algorithm);
  pairs.set(algorithm, known);
  return known;
};

/** The sender with a key made up for tests. */
const withMadeUpKey = (declaration: ProviderDeclaration, scheme: Scheme): Sender => {
  const { settings } = declaration;
  const secret = scheme.key.secret ? secrets.find((text) => canSign(scheme, text)) : undefined;
  if (secret !== undefined) {
    return { declaration: { ...declaration, scheme, secret }, scheme, signingKey: secret, settings };
  }
  const { publicKey, privateKey } = pairFor(scheme.key.algorithms[0] ?? "ed25519");
  return { declaration: { ...declaration, scheme, publicKey }, scheme, signingKey: privateKey, settings };
};

const lastOf = (secret: ProviderDeclaration["secret"]): string | undefined =>
  typeof secret === "object" ? secret.at(-1) : secret;

const hasKeys = ({ secret, publicKey, jwksUrl, keySource }: ProviderDeclaration): boolean =>
  [secret, publicKey, jwksUrl, keySource].some((one) => one !== undefined);

const senderOf = async (name: string, given: ProviderDeclaration | string | undefined): Promise<Sender> => {
  const declaration: ProviderDeclaration = typeof given === "object" ? given : given ? { secret: given } : {};
  const { settings, scheme: named = name } = declaration;
  // A sender that only a handler names may have any name.
  const known = typeof named === "object" || named !== name || given !== undefined || schemeNames.includes(name);
  const scheme = typeof named === "object" ? named : known ? await loadScheme(named) : standardWebhooks;
  if (!hasKeys(declaration)) return withMadeUpKey(declaration, scheme);
  return { declaration: { ...declaration, scheme }, scheme, signingKey: lastOf(declaration.secret), settings };
};

/**
 * The senders that a test may play: those of `providers`, and those that handlers and routes name.
 * One without a key, as of a variable that tests do not set, gets a made-up one. If nothing names
 * one, there is `demo`.
 * @throws WebhookConfigError for an unknown scheme; its message suggests the nearest name.
 */
export const sendersOf = async (options: NamingSenders): Promise<ReadonlyMap<string, Sender>> => {
  if (options.parts?.includes("inbox") === false) return new Map();
  const providers = new Map(Object.entries(options.providers ?? {}));
  const named = [...(options.handlers ?? []), ...(options.routes ?? [])].map(({ provider = "*" }) => provider);
  const names = new Set([...providers.keys(), ...named.filter((name) => name !== "*")]);
  if (names.size === 0) names.add("demo");
  const senders = await Promise.all([...names].map((name) => senderOf(name, providers.get(name))));
  return new Map([...names].map((name, at) => [name, senders[at] as Sender]));
};
