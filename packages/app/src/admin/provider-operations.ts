import type { Answer, JsonSchema, Ports, Stores } from "@postern/core";
import { AppError, openProvider, type StoredProvider, type StoredProviderKey } from "@postern/core";
import type { Providers } from "@postern/core/parts";
import { definitionOf, providerName, schemeNamed, sealContext, uuidPattern, whyUnusable } from "@postern/core/parts";
import { type Call, defineOperation, listOf, type Operation, presentPage } from "@postern/rest";
import type { Scheme } from "@postern/webhook-verifier";
import { z } from "zod";
import { keyState, presentConfigured, presentStored, shownProvider } from "./present-provider.ts";

/** What an audit entry calls a sender. */
const audited = "webhook_provider";
const mostProviders = 100;
/** Of these each delivery is checked against, at the most. */
const mostGoodKeys = 5;
const daySeconds = 24 * 3600;

const moment = z.iso.datetime();

const keyText = z
  .string()
  .min(1)
  .max(8_192)
  .meta({ description: "In the sender's own notation: a secret or a public key." });
const keyId = z
  .string()
  .min(1)
  .max(255)
  .meta({ description: "Where the sender's messages name keys: its name for this one." });
const eitherKey = "give either a key or the address of a key set";
const newProvider = z
  .strictObject({
    name: z.string().max(64).regex(providerName, { error: "1 to 64 lower-case letters, digits and hyphens" }),
    scheme: z.string().max(64).optional().meta({ description: "The provider's name unless given." }),
    key: keyText.optional(),
    key_id: keyId.optional(),
    jwks_url: z.string().max(2_048).optional().meta({ description: "A key set by https URL, instead of a key." }),
    settings: z
      .record(z.string().max(64), z.union([z.string().max(2_048), z.array(z.string().max(2_048)).max(50)]))
      .optional()
      .meta({ description: "What the scheme needs besides keys." }),
    tolerance_seconds: z.number().min(0).max(daySeconds).optional(),
    schemas: z
      .record(z.string().min(1).max(128), z.record(z.string().max(256), z.unknown()))
      .optional()
      .meta({ description: "JSON Schemas of payloads by type, with `*` for any run of characters." }),
  })
  .refine(({ key, jwks_url }) => key === undefined || jwks_url === undefined, { error: eitherKey, path: ["key"] });

const noProvider = (): AppError => new AppError("not_found", { detail: "There is no such provider." });

const invalid = (pointer: string, detail: string): AppError =>
  new AppError("validation_failed", {
    detail: `${pointer.slice(1)}: ${detail}`,
    faults: [{ pointer, code: "invalid_format", detail }],
  });

/** A provider of the configuration, which no request can change. @throws AppError `state_conflict` */
const refuseConfigured = ({ configured }: Pick<Providers, "configured">, name: string | undefined): void => {
  if (!configured.has(name ?? "")) return;
  throw new AppError("state_conflict", {
    detail: `Provider ${name} stands in this server's configuration; change it there.`,
  });
};

const storedProvider = async (
  { providers }: Pick<Stores, "providers">,
  name: string | undefined,
  read: "find" | "hold",
): Promise<StoredProvider> => {
  const stored = await providers[read](name ?? "");
  if (stored === undefined) throw noProvider();
  return stored;
};

/** Tries what is given before it is stored. @throws AppError `validation_failed` that says what is wrong and repeats no secret. */
const checkUsable = (
  ports: ProviderParts["ports"],
  pointer: string,
  definition: Parameters<typeof openProvider>[1],
): void => {
  try {
    openProvider(ports, definition);
  } catch (thrown) {
    const why = whyUnusable(thrown);
    throw why === undefined ? thrown : invalid(pointer, why);
  }
};

const knownScheme = (name: string): Scheme => {
  const scheme = schemeNamed(name);
  if (scheme !== undefined) return scheme;
  throw invalid("/scheme", `there is no scheme "${name}"; the webhook-verifier's README lists them`);
};

const newKey = async (
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

/** Writes a provider and notes it in the audit log; this process knows of it when the answer is there, the others within two seconds. */
const changeProvider = async (
  providers: Pick<Providers, "find">,
  call: Call,
  { name = "", fields }: { readonly name: string | undefined; readonly fields: readonly string[] },
  work: (stores: Stores) => Promise<Answer>,
): Promise<Answer> => {
  const answer = await call.write({ resource: audited, id: name, fields }, work);
  await providers.find(name, 0);
  return answer;
};

/** Senders of webhooks at run time: added, their keys replaced with an overlap, removed. */
/** What these operations work with. */
export interface ProviderParts {
  readonly ports: Pick<Ports, "storage" | "clock" | "ids" | "secretBox" | "fetcher">;
  readonly providers: Providers;
}

export const providerOperations = ({ ports, providers }: ProviderParts): readonly Operation[] => [
  defineOperation({
    id: "admin.providers.list",
    method: "GET",
    path: "/admin/providers",
    access: "admin",
    summary: "List the senders of webhooks",
    tag: "admin",
    list: true,
    success: {
      status: 200,
      description: "All of them, those of the configuration first.",
      body: listOf(shownProvider),
    },
    handle: async () => {
      const data = [...providers.configured.values()].map(presentConfigured);
      for (const stored of await ports.storage.providers.list()) data.push(await presentStored(ports, stored));
      return { status: 200, body: presentPage({ data, limit: mostProviders, next: null, prev: null }) };
    },
  }),
  defineOperation({
    id: "admin.providers.create",
    method: "POST",
    path: "/admin/providers",
    access: "admin",
    summary: "Add a sender of webhooks",
    tag: "admin",
    body: newProvider,
    success: { status: 201, description: "It can deliver.", body: shownProvider },
    errors: ["conflict", "state_conflict"],
    handle: async (call) => {
      const { name, key, key_id, jwks_url, settings, tolerance_seconds, schemas } = call.body;
      refuseConfigured(providers, name);
      const scheme = knownScheme(call.body.scheme ?? name);
      if (key === undefined && jwks_url === undefined && scheme.keyFromHandshake !== true) {
        throw invalid("/key", eitherKey);
      }
      const keys = key === undefined ? [] : [{ key, ...(key_id === undefined ? {} : { id: key_id }) }];
      checkUsable(ports, key === undefined ? "/jwks_url" : "/key", {
        name,
        scheme,
        keys,
        jwksUrl: jwks_url,
        settings,
        toleranceSeconds: tolerance_seconds,
        ...(schemas === undefined ? {} : { schemas: schemas as Readonly<Record<string, JsonSchema>> }),
      });
      const id = ports.ids.uuid();
      const now = ports.clock.now();
      const stored: StoredProvider = {
        id,
        name,
        scheme: scheme.name,
        toleranceSeconds: tolerance_seconds,
        jwksUrl: jwks_url,
        schemas: schemas as StoredProvider["schemas"],
        allowShort: false,
        sealedSettings:
          settings === undefined
            ? undefined
            : await ports.secretBox.seal(JSON.stringify(settings), sealContext("settings", id)),
        keys: key === undefined ? [] : [await newKey(ports, id, { text: key, id: key_id, notBefore: now })],
      };
      const { base } = call.request;
      const answer = {
        status: 201,
        headers: { location: `${base}/admin/providers/${name}` },
        body: await presentStored(ports, stored),
      };
      return changeProvider(providers, call, { name, fields: Object.keys(call.body) }, async (stores) => {
        const others = await stores.providers.list();
        if (others.length >= mostProviders) {
          throw new AppError("state_conflict", { detail: `There are ${mostProviders} providers already; remove one.` });
        }
        await stores.providers.save(stored, now);
        return answer;
      });
    },
  }),
  defineOperation({
    id: "admin.providers.read",
    method: "GET",
    path: "/admin/providers/{name}",
    access: "admin",
    summary: "Read a sender of webhooks",
    tag: "admin",
    success: { status: 200, description: "The provider.", body: shownProvider },
    errors: ["not_found"],
    handle: async ({ params }) => {
      const configured = providers.configured.get(params.name ?? "");
      if (configured !== undefined) return { status: 200, body: presentConfigured(configured) };
      const stored = await storedProvider(ports.storage, params.name, "find");
      return { status: 200, body: await presentStored(ports, stored) };
    },
  }),
  defineOperation({
    id: "admin.providers.delete",
    method: "DELETE",
    path: "/admin/providers/{name}",
    access: "admin",
    summary: "Remove a sender of webhooks; its events stay",
    tag: "admin",
    success: { status: 204, description: "Its deliveries are not taken any more." },
    errors: ["not_found", "state_conflict"],
    handle: async (call) => {
      const { name } = call.params;
      refuseConfigured(providers, name);
      await storedProvider(ports.storage, name, "find");
      return changeProvider(providers, call, { name, fields: [] }, async (stores) => {
        await stores.providers.remove(name ?? "");
        return { status: 204 };
      });
    },
  }),
  defineOperation({
    id: "admin.providers.rotate",
    method: "POST",
    path: "/admin/providers/{name}/keys",
    access: "admin",
    summary: "Give a sender a new key; the old ones stay good for a while",
    tag: "admin",
    body: z.strictObject({
      key: keyText,
      key_id: keyId.optional(),
      not_before: moment.optional().meta({ description: "When it becomes good; at once unless given." }),
      overlap_seconds: z
        .int()
        .min(0)
        .max(90 * daySeconds)
        .default(daySeconds)
        .meta({ description: "How long the old keys stay good beside it; a day unless given, 0 ends them." }),
    }),
    success: { status: 201, description: "The provider with its keys.", body: shownProvider },
    errors: ["not_found", "state_conflict"],
    handle: async (call) => {
      const { name } = call.params;
      const { key, key_id, overlap_seconds } = call.body;
      refuseConfigured(providers, name);
      const now = ports.clock.now();
      const from = call.body.not_before === undefined ? now : Math.max(Date.parse(call.body.not_before), now);
      const until = from + overlap_seconds * 1000;
      return changeProvider(providers, call, { name, fields: ["key"] }, async (stores) => {
        const stored = await storedProvider(stores, name, "hold");
        const definition = await definitionOf(ports, { ...stored, keys: [] });
        if (definition.jwksUrl !== undefined) {
          throw new AppError("state_conflict", {
            detail: `Provider ${name} takes its keys from ${definition.jwksUrl}.`,
          });
        }
        checkUsable(ports, "/key", { ...definition, keys: [{ key, ...(key_id === undefined ? {} : { id: key_id }) }] });
        const kept = stored.keys.filter((old) => keyState(old, now) !== "ended");
        if (kept.length >= mostGoodKeys) {
          throw new AppError("state_conflict", {
            detail: `${name} has ${kept.length} keys already; delete one first.`,
          });
        }
        const ending = kept.map((old) => ({ ...old, notAfter: Math.min(old.notAfter ?? until, until) }));
        const added = await newKey(ports, stored.id, { text: key, id: key_id, notBefore: from });
        const changed = { ...stored, keys: [...ending, added] };
        await stores.providers.save(changed, now);
        return { status: 201, body: await presentStored(ports, changed) };
      });
    },
  }),
  defineOperation({
    id: "admin.providers.deleteKey",
    method: "DELETE",
    path: "/admin/providers/{name}/keys/{id}",
    access: "admin",
    summary: "End a sender's key at once",
    tag: "admin",
    success: { status: 204, description: "Nothing signed with it is taken any more." },
    errors: ["not_found", "state_conflict"],
    handle: async (call) => {
      const { name, id = "" } = call.params;
      refuseConfigured(providers, name);
      return changeProvider(providers, call, { name, fields: ["key"] }, async (stores) => {
        const stored = await storedProvider(stores, name, "hold");
        const { keys } = stored;
        if (!uuidPattern.test(id) || !keys.some((key) => key.id === id)) {
          throw new AppError("not_found", { detail: `Provider ${name} has no such key.` });
        }
        if (keys.length === 1) {
          throw new AppError("state_conflict", {
            detail: `This is the only key of ${name}: give it another one first, or remove the provider.`,
          });
        }
        await stores.providers.save({ ...stored, keys: keys.filter((key) => key.id !== id) }, ports.clock.now());
        return { status: 204 };
      });
    },
  }),
];
