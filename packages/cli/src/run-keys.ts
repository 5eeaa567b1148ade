import { generateKeyPairSync, randomBytes } from "node:crypto";
import { checkSigningKeys, createVerifier, type Scheme, signRequest } from "@postern/webhook-verifier";

/** A key for one run of a command, in the notation of its sender. */
export interface RunKey {
  /** What the sender signs with. */
  readonly signing: string;
  /** What a receiver is given: the same secret, or the public key as PEM. */
  readonly verifying: string;
}

const canSign = (scheme: Scheme, key: string): boolean => {
  try {
    checkSigningKeys(scheme, key);
    return true;
  } catch {
    return false;
  }
};

const newPair = (algorithm: string) => {
  if (algorithm.startsWith("rsa")) return generateKeyPairSync("rsa", { modulusLength: 2048 });
  const [, curve] = /^ecdsa-p(256|384|521)/.exec(algorithm) ?? [];
  return curve === undefined ? generateKeyPairSync("ed25519") : generateKeyPairSync("ec", { namedCurve: `P-${curve}` });
};

/** Makes a key for a scheme. */
export const newRunKey = (scheme: Scheme): RunKey => {
  if (scheme.key.secret) {
    const bytes = randomBytes(32);
    const notations = [`whsec_${bytes.toString("base64")}`, bytes.toString("base64"), bytes.toString("hex")];
    const secret = notations.find((text) => canSign(scheme, text));
    if (secret !== undefined) return { signing: secret, verifying: secret };
  }
  const { publicKey, privateKey } = newPair(scheme.key.algorithms[0] ?? "ed25519");
  return {
    signing: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    verifying: String(publicKey.export({ type: "spki", format: "pem" })),
  };
};

type Signed = Awaited<ReturnType<typeof signRequest>>;

/**
 * A stored request, signed anew as its sender would, and verified as its receiver will.
 * @throws Error if only the sender itself can sign, or if the scheme needs settings that are not known.
 */
export const signedAgain = async (
  scheme: Scheme,
  { signing, verifying }: RunKey,
  request: Omit<Parameters<typeof signRequest>[1], "keys">,
): Promise<Signed> => {
  const signed = await signRequest(scheme, { ...request, keys: signing });
  const { method, url, headers, body } = signed;
  await createVerifier(scheme, { keys: verifying }).verify({ method, url, headers, body });
  return signed;
};
