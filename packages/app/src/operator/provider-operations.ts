import { AppError, type JsonSchema } from "@postern/core";
import type { StoredProvider } from "@postern/core/ports";
import type { Provider } from "@postern/inbox";
import { keptHeaderName, mostKeptHeaderNames, providerName, schemeNamed, sealContext } from "@postern/inbox/internal";
import { keyedList, type Operation } from "@postern/rest";
import type { Scheme } from "@postern/webhook-verifier";
import { loadScheme, schemeNames } from "@postern/webhook-verifier/load-scheme";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import {
  changeProvider,
  checkUsable,
  daySeconds,
  invalidMember,
  keyId,
  keyText,
  newKey,
  type ProviderParts,
  refuseConfigured,
  storedProvider,
} from "./change-provider.ts";
import { dedupeOf, presentConfigured, presentStored } from "./present-provider.ts";
import { dedupe, headersAbout, providerFacts, type ShownProvider, schemeFacts, shownProvider } from "./wire/sender.ts";

const mostProviders = 100;
const eitherKey = "give either a key or the address of a key set";
const newProvider = z
  .strictObject({
    name: z.string().max(64).regex(providerName, { error: "1 to 64 lower-case letters, digits and hyphens" }),
    scheme: z.string().max(64).optional().meta({ description: "Default: the provider's name." }),
    key: keyText.optional(),
    key_id: keyId.optional(),
    jwks_url: z.string().max(2_048).optional().meta({ description: "The https URL of a key set, instead of a key." }),
    settings: z
      .record(z.string().max(64), z.union([z.string().max(2_048), z.array(z.string().max(2_048)).max(50)]))
      .optional()
      .meta({ description: "What the scheme needs besides keys." }),
    tolerance_seconds: z.number().min(0).max(daySeconds).optional(),
    allow_short: z
      .boolean()
      .default(false)
      .meta({ description: "Accepts secrets under 16 bytes. Only for a sender whose secret cannot be replaced." }),
    dedupe: dedupe.optional().meta({ description: "What makes a delivery a repeat. Default: the scheme decides." }),
    headers: z
      .array(z.string().max(128).regex(keptHeaderName, { error: "a lower-case name, or a beginning with * behind it" }))
      .max(mostKeptHeaderNames)
      .optional()
      .meta({ description: headersAbout }),
    replay_on_resend: z
      .boolean()
      .default(false)
      .meta({ description: "Runs a dead event again when its sender sends it again." }),
    keep_refused_bodies: z
      .boolean()
      .default(false)
      .meta({ description: "Keeps up to 64 KiB of the bodies of refused deliveries, for a day." }),
    schemas: z
      .record(z.string().min(1).max(128), z.record(z.string().max(256), z.unknown()))
      .optional()
      .meta({ description: "JSON Schemas of payloads by type, with `*` for any run of characters." }),
  })
  .refine(({ key, jwks_url }) => key === undefined || jwks_url === undefined, { error: eitherKey, path: ["key"] })
  .meta({
    // The secret that the specification of Standard Webhooks shows.
    examples: [{ name: "acme", scheme: "standard-webhooks", key: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }],
  });

const knownScheme = async (name: string): Promise<Scheme> => {
  const scheme = await schemeNamed(name);
  if (scheme !== undefined) return scheme;
  throw invalidMember("/scheme", `there is no scheme "${name}"; the webhook-verifier's README lists them`);
};

const providerFilters = {
  "filter[name]": z.string().max(64),
  "filter[scheme]": z.string().max(64),
  "filter[source]": providerFacts.shape.source,
};

/** A provider, before what is shown of it is read. */
type ListedProvider = { readonly name: string; readonly scheme: string } & (
  | { readonly source: "configuration"; readonly one: Provider }
  | { readonly source: "stored"; readonly one: StoredProvider }
);

const presentListed = ({ ports }: ProviderParts, listed: ListedProvider): Promise<ShownProvider> =>
  listed.source === "configuration"
    ? presentConfigured(listed.one, ports.storage)
    : presentStored(ports, listed.one, ports.storage);

/** All matching providers, sorted by name. There are few, so they are filtered and paged here. */
const fittingProviders = async (
  { ports: { storage }, providers }: ProviderParts,
  filters: Readonly<Record<string, unknown>>,
): Promise<readonly ListedProvider[]> => {
  const asked = z.object(providerFilters).partial().parse(filters);
  const configured = [...providers.configured.values()].map((one): ListedProvider => {
    return { name: one.name, scheme: one.verifier.scheme.name, source: "configuration", one };
  });
  const stored = (await storage.providers.list()).map((one): ListedProvider => {
    return { name: one.name, scheme: one.scheme, source: "stored", one };
  });
  return [...configured, ...stored]
    .filter(
      ({ name, scheme, source }) =>
        (asked["filter[name]"] ?? name) === name &&
        (asked["filter[scheme]"] ?? scheme) === scheme &&
        (asked["filter[source]"] ?? source) === source,
    )
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
};

const listProviders = (parts: ProviderParts): Operation =>
  keyedList<ListedProvider, string>({
    id: "admin.providers.list",
    path: "/admin/providers",
    summary: "List the senders of webhooks",
    description: "One page, by name unless `sort` says otherwise.",
    item: providerFacts,
    name: "provider",
    key: { member: "name", usual: "rising", first: "" },
    filters: providerFilters,
    usualLimit: mostProviders,
    read: async (filters, { before, after, limit }) => {
      const rising = await fittingProviders(parts, filters);
      if (after !== undefined) return rising.filter(({ name }) => name > after).slice(0, limit);
      return rising
        .filter(({ name }) => before === undefined || name < before)
        .toReversed()
        .slice(0, limit);
    },
    count: async (filters, atMost) => Math.min((await fittingProviders(parts, filters)).length, atMost),
    keyOf: ({ name }) => name,
    present: async (listed) => Promise.all(listed.map((one) => presentListed(parts, one))),
  });

const createProvider = ({ ports, providers }: ProviderParts): Operation =>
  adminOperation({
    id: "admin.providers.create",
    method: "POST",
    path: "/admin/providers",
    summary: "Add a sender of webhooks",
    body: newProvider,
    // The scheme decides which keys and settings are possible.
    checkedAfterSchema: ["invalid_format"],
    success: { status: 201, description: "It can deliver.", body: shownProvider },
    errors: ["conflict", "state_conflict"],
    handle: async (call) => {
      const { name, key, key_id, jwks_url, settings, tolerance_seconds, allow_short, schemas } = call.body;
      const repeats = call.body.dedupe === undefined ? undefined : dedupeOf(call.body.dedupe);
      refuseConfigured(providers, name);
      const scheme = await knownScheme(call.body.scheme ?? name);
      if (key === undefined && jwks_url === undefined && scheme.keyComes === undefined) {
        throw invalidMember("/key", eitherKey);
      }
      const keys = key === undefined ? [] : [{ key, ...(key_id === undefined ? {} : { id: key_id }) }];
      checkUsable(ports, key === undefined ? "/jwks_url" : "/key", {
        name,
        scheme,
        keys,
        jwksUrl: jwks_url,
        settings,
        toleranceSeconds: tolerance_seconds,
        allowShort: allow_short,
        dedupe: repeats,
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
        allowShort: allow_short,
        dedupe: repeats,
        headers: call.body.headers ?? [],
        replayOnResend: call.body.replay_on_resend,
        keepRefusedBodies: call.body.keep_refused_bodies,
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
        body: await presentStored(ports, stored, ports.storage),
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
  });

const readProvider = ({ ports, providers }: ProviderParts): Operation =>
  adminOperation({
    id: "admin.providers.read",
    method: "GET",
    path: "/admin/providers/{name}",
    summary: "Read a sender of webhooks",
    success: { status: 200, description: "The provider.", body: shownProvider },
    errors: ["not_found"],
    handle: async ({ params }) => {
      const configured = providers.configured.get(params.name ?? "");
      if (configured !== undefined) {
        return { status: 200, body: await presentConfigured(configured, ports.storage) };
      }
      const stored = await storedProvider(ports.storage, params.name, "find");
      return { status: 200, body: await presentStored(ports, stored, ports.storage) };
    },
  });

const deleteProvider = ({ ports, providers }: ProviderParts): Operation =>
  adminOperation({
    id: "admin.providers.delete",
    method: "DELETE",
    path: "/admin/providers/{name}",
    summary: "Remove a sender of webhooks; its events stay",
    confirm:
      "Remove the sender {name} and its keys? Its deliveries are refused from then on; its events stay. This cannot be undone.",
    success: { status: 204, description: "Its deliveries are refused from now on." },
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
  });

const listSchemes: Operation = adminOperation({
  id: "admin.schemes.list",
  method: "GET",
  path: "/admin/schemes",
  scope: "providers:read",
  summary: "List the schemes that a sender may have",
  success: {
    status: 200,
    description: "All of them, by name.",
    body: z.object({ data: z.array(schemeFacts) }),
  },
  handle: async () => {
    const all = await Promise.all(schemeNames.map((name) => loadScheme(name)));
    return { status: 200, body: { data: all.map(({ name, title }) => ({ name, title })) } };
  },
});

/** Senders of webhooks at run time: they are listed, added and removed. */
export const providerOperations = (parts: ProviderParts): readonly Operation[] => [
  listProviders(parts),
  listSchemes,
  createProvider(parts),
  readProvider(parts),
  deleteProvider(parts),
];
