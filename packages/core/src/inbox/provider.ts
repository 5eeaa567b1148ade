import type { Verifier } from "@postern/webhook-verifier";

/** A sender this server takes webhooks from: its name in the path and the verifier that holds its keys. */
export interface Provider {
  /** Lower-case letters, digits and hyphens, up to 64; the last segment of `/webhooks/{provider}`. */
  readonly name: string;
  readonly verifier: Verifier;
}

const providerName = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** @throws TypeError for a name that is not fit for a path. */
export const defineProvider = (provider: Provider): Provider => {
  if (providerName.test(provider.name)) return provider;
  throw new TypeError(`provider "${provider.name}": a name is 1 to 64 lower-case letters, digits and hyphens`);
};
