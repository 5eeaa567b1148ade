import type { VerificationTrace, Verifier, WebhookRequest } from "@postern/webhook-verifier";
import { compileSchema, type PayloadSchema } from "./payload-schema.ts";

/**
 * A sender whose webhooks this server accepts: its name in the path, and the verifier that holds
 * its keys.
 */
export interface Provider {
  /**
   * Lower-case letters, digits and hyphens, up to 64; the last segment of `/webhooks/{provider}`.
   */
  readonly name: string;
  readonly verifier: Verifier;
  /**
   * The schemas of its events, by type (`*` stands for any run of characters). Events that do not
   * fit are quarantined.
   */
  readonly schemas?: Readonly<Record<string, PayloadSchema>>;
  /**
   * Whether a dead event runs again when its sender sends it again. Default false: the answer to the
   * sender says that the event is dead.
   */
  readonly replayOnResend?: boolean | undefined;
  /**
   * Headers that are kept with each event beside those that its scheme names: lower-case names, or
   * beginnings of names with `*` behind them. A signature or secret is never kept, and neither are
   * `authorization`, `proxy-authorization` and `cookie`.
   */
  readonly headers?: readonly string[] | undefined;
  /**
   * Keeps up to 64 KiB of the bodies of refused deliveries, for a day. Default false: anybody can send
   * such a body, and nobody has proved what is in it.
   */
  readonly keepRefusedBodies?: boolean | undefined;
  /**
   * Says how the verifier verifies a request at a time (milliseconds since the epoch), or would have.
   * Without it, only the reason of a refusal is known.
   */
  readonly trace?: ((request: WebhookRequest, at: number) => Promise<VerificationTrace>) | undefined;
}

/** The form of a provider's name. */
export const providerName = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** The form of a name in `headers` of a provider (RFC 9110, section 5.6.2), in lower case. */
export const keptHeaderName = /^[a-z0-9!#$%&'.^_`|~+-]{1,127}\*?$/;
/** How many names a provider may add. */
export const mostKeptHeaderNames = 32;

/** @throws TypeError for a name that does not fit into a path, or a schema that cannot be used. */
export const defineProvider = (provider: Provider): Provider => {
  if (!providerName.test(provider.name)) {
    throw new TypeError(`provider "${provider.name}": a name is 1 to 64 lower-case letters, digits and hyphens`);
  }
  const { headers = [] } = provider;
  const wrong = headers.find((name) => !keptHeaderName.test(name));
  if (wrong !== undefined || headers.length > mostKeptHeaderNames) {
    throw new TypeError(
      `provider "${provider.name}", headers: give up to ${mostKeptHeaderNames} lower-case names of headers, or beginnings with * behind them${wrong === undefined ? "" : `; "${wrong}" is neither`}`,
    );
  }
  for (const [type, schema] of Object.entries(provider.schemas ?? {})) {
    try {
      compileSchema(schema);
    } catch (thrown) {
      throw new TypeError(
        `provider "${provider.name}", type ${type}: ${thrown instanceof Error ? thrown.message : ""}`,
      );
    }
  }
  return provider;
};
