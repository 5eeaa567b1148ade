import { type Answer, AppError, type Ports, type Stores } from "@postern/core";
import type { StoredProvider, StoredProviderKey } from "@postern/core/ports";
import type { Providers } from "@postern/inbox";
import { openProvider, sealContext, whyUnusable } from "@postern/inbox/internal";
import type { EngineCall } from "@postern/rest";
import { z } from "zod";
import { storableText } from "./wire/texts.ts";

/** The dependencies of the operations on providers and their keys. */
export interface ProviderParts {
  readonly ports: Pick<Ports, "storage" | "clock" | "ids" | "secretBox" | "fetcher">;
  readonly providers: Providers;
}

/** The name of a sender in audit entries. */
const audited = "webhook_provider";
export const daySeconds = 24 * 3600;

export const keyText = z
  .string()
  .min(1)
  .max(8_192)
  .meta({ description: "In the sender's own notation: a secret or a public key." });
export const keyId = storableText(255).min(1).meta({
  description: "The sender's name for this key, if its messages name keys.",
});

const noProvider = (): AppError => new AppError("not_found", { detail: "There is no such provider." });

export const invalidMember = (pointer: string, detail: string): AppError =>
  new AppError("validation_failed", {
    detail: `${pointer.slice(1)}: ${detail}`,
    faults: [{ pointer, code: "invalid_format", detail }],
  });

/**
 * Requests cannot change a provider of the configuration.
 * @throws AppError `state_conflict`
 */
export const refuseConfigured = ({ configured }: Pick<Providers, "configured">, name: string | undefined): void => {
  if (!configured.has(name ?? "")) return;
  throw new AppError("state_conflict", {
    detail: `Provider ${name} is in this server's configuration; change it there.`,
  });
};

/**
 * Finds a provider that was added at run time. `hold` locks it until the transaction ends.
 * @throws AppError `not_found`
 */
export const storedProvider = async (
  { providers }: Pick<Stores, "providers">,
  name: string | undefined,
  read: "find" | "hold",
): Promise<StoredProvider> => {
  const stored = await providers[read](name ?? "");
  if (stored === undefined) throw noProvider();
  return stored;
};

/**
 * Tries the given keys and settings before they are stored. `pointer` is the member that names the
 * keys.
 * @throws AppError `validation_failed` that says what is wrong and repeats no secret.
 */
export const checkUsable = (
  ports: ProviderParts["ports"],
  pointer: string,
  definition: Parameters<typeof openProvider>[1],
): void => {
  try {
    openProvider(ports, definition);
  } catch (thrown) {
    const why = whyUnusable(thrown);
    if (why === undefined) throw thrown;
    const [, aboutDedupe] = /^dedupe: (.*)$/s.exec(why) ?? [];
    if (aboutDedupe !== undefined) throw invalidMember("/dedupe", aboutDedupe);
    throw invalidMember(isAboutSettings(thrown) ? "/settings" : pointer, why);
  }
};

const isAboutSettings = (thrown: unknown): boolean =>
  thrown instanceof Error && "code" in thrown && thrown.code === "setting_invalid";

/** Makes a key to store. Its text is sealed for this provider. */
export const newKey = async (
  ports: ProviderParts["ports"],
  providerId: string,
  key: { readonly text: string; readonly id: string | undefined; readonly notBefore: number },
): Promise<StoredProviderKey> => ({
  id: ports.ids.uuid(),
  keyId: key.id,
  sealedKey: await ports.secretBox.seal(key.text, sealContext("key", providerId)),
  notBefore: key.notBefore,
  notAfter: undefined,
});

/**
 * Writes a provider and notes it in the audit log. This process uses it as soon as the answer is
 * sent, other processes within two seconds.
 */
export const changeProvider = async (
  providers: Pick<Providers, "find">,
  call: EngineCall,
  { name = "", fields }: { readonly name: string | undefined; readonly fields: readonly string[] },
  work: (stores: Stores) => Promise<Answer>,
): Promise<Answer> => {
  const answer = await call.write({ resource: audited, id: name, fields }, work);
  await providers.find(name, 0);
  return answer;
};
