import type { Answer, JsonSchema, Ports, Stores } from "@postern/core";
import { AppError, allRows, equals, type FieldValue, openProvider, type Row, type SortKey } from "@postern/core";
import type { Providers } from "@postern/core/parts";
import {
  definitionOf,
  providerName,
  schemeNamed,
  sealContext,
  timestampOf,
  uuidPattern,
  webhookKey,
  webhookProvider,
  whyUnusable,
} from "@postern/core/parts";
import { type Call, defineOperation, listOf, type Operation, presentPage } from "@postern/rest";
import type { Scheme } from "@postern/webhook-verifier";
import { z } from "zod";
import { keyState, presentConfigured, presentStored, shownProvider } from "./present-provider.ts";

const admin = allRows("administrators look after all providers");
const byId: readonly SortKey[] = [{ field: "id", direction: "asc" }];
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

const storedProvider = async ({ resources }: Pick<Stores, "resources">, name: string | undefined): Promise<Row> => {
  const [row] = await resources.list(webhookProvider, {
    scope: admin,
    where: equals("name", name ?? ""),
    order: byId,
    limit: 1,
  });
  if (row === undefined) throw noProvider();
  return row;
};

const keysOf = ({ resources }: Pick<Stores, "resources">, provider: Row): Promise<readonly Row[]> =>
  resources.list(webhookKey, {
    scope: admin,
    where: equals("provider_id", String(provider.id)),
    order: byId,
    limit: 100,
  });

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

const newRow = (ports: ProviderParts["ports"], fields: Readonly<Record<string, FieldValue>>): Row => {
  const now = timestampOf(ports.clock.now());
  return { id: ports.ids.uuid(), ...fields, created_at: now, updated_at: now };
};

const keyRow = async (
  ports: ProviderParts["ports"],
  providerId: string,
  key: { readonly text: string; readonly id: string | undefined; readonly notBefore: number },
): Promise<Row> =>
  newRow(ports, {
    provider_id: providerId,
    key_id: key.id ?? null,
    sealed_key: await ports.secretBox.seal(key.text, sealContext("key", providerId)),
    not_before: timestampOf(key.notBefore),
    not_after: null,
  });

/** Writes a provider and notes it in the audit log; this process knows of it when the answer is there, the others within two seconds. */
const changeProvider = async (
  providers: Pick<Providers, "find">,
  call: Call,
  { name = "", fields }: { readonly name: string | undefined; readonly fields: readonly string[] },
  work: (stores: Stores) => Promise<Answer>,
): Promise<Answer> => {
  const answer = await call.write({ resource: webhookProvider.name, id: name, fields }, work);
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
      const rows = await ports.storage.resources.list(webhookProvider, {
        scope: admin,
        order: byId,
        limit: mostProviders,
      });
      const data = [...providers.configured.values()].map(presentConfigured);
      for (const row of rows) data.push(await presentStored(ports, row, await keysOf(ports.storage, row)));
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
      const definition = {
        ...(tolerance_seconds === undefined ? {} : { tolerance_seconds }),
        ...(jwks_url === undefined ? {} : { jwks_url }),
        ...(schemas === undefined ? {} : { schemas }),
      };
      const bare = newRow(ports, { name, scheme: scheme.name, definition, allow_short: false });
      const id = String(bare.id);
      const sealed =
        settings === undefined
          ? null
          : await ports.secretBox.seal(JSON.stringify(settings), sealContext("settings", id));
      const row: Row = { ...bare, sealed_settings: sealed };
      const made =
        key === undefined ? [] : [await keyRow(ports, id, { text: key, id: key_id, notBefore: ports.clock.now() })];
      const { base } = call.request;
      const answer = {
        status: 201,
        headers: { location: `${base}/admin/providers/${name}` },
        body: await presentStored(ports, row, made),
      };
      return changeProvider(providers, call, { name, fields: Object.keys(call.body) }, async ({ resources }) => {
        const others = await resources.list(webhookProvider, { scope: admin, order: byId, limit: mostProviders });
        if (others.length >= mostProviders) {
          throw new AppError("state_conflict", { detail: `There are ${mostProviders} providers already; remove one.` });
        }
        await resources.insert(webhookProvider, row);
        for (const one of made) await resources.insert(webhookKey, one);
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
      const row = await storedProvider(ports.storage, params.name);
      return { status: 200, body: await presentStored(ports, row, await keysOf(ports.storage, row)) };
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
      const { storage } = ports;
      const row = await storedProvider(storage, name);
      return changeProvider(providers, call, { name, fields: [] }, async ({ resources }) => {
        await resources.delete(webhookProvider, String(row.id), admin);
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
      const until = timestampOf(from + overlap_seconds * 1000);
      return changeProvider(providers, call, { name, fields: ["key"] }, async (stores) => {
        const row = await storedProvider(stores, name);
        const before = await keysOf(stores, row);
        const definition = await definitionOf(ports, row, []);
        if (definition.jwksUrl !== undefined) {
          throw new AppError("state_conflict", {
            detail: `Provider ${name} takes its keys from ${definition.jwksUrl}.`,
          });
        }
        checkUsable(ports, "/key", { ...definition, keys: [{ key, ...(key_id === undefined ? {} : { id: key_id }) }] });
        const kept = before.filter((old) => keyState(old, timestampOf(now)) !== "ended");
        if (kept.length >= mostGoodKeys) {
          throw new AppError("state_conflict", {
            detail: `${name} has ${kept.length} keys already; delete one first.`,
          });
        }
        for (const old of before) {
          if (!kept.includes(old)) await stores.resources.delete(webhookKey, String(old.id), admin);
          else if (old.not_after === null || String(old.not_after) > until) {
            const changes = { not_after: until, updated_at: timestampOf(now) };
            await stores.resources.update(webhookKey, String(old.id), admin, changes);
          }
        }
        await stores.resources.insert(
          webhookKey,
          await keyRow(ports, String(row.id), { text: key, id: key_id, notBefore: from }),
        );
        return { status: 201, body: await presentStored(ports, row, await keysOf(stores, row)) };
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
        const row = await storedProvider(stores, name);
        const keys = await keysOf(stores, row);
        if (!uuidPattern.test(id) || !keys.some((key) => key.id === id)) {
          throw new AppError("not_found", { detail: `Provider ${name} has no such key.` });
        }
        if (keys.length === 1) {
          throw new AppError("state_conflict", {
            detail: `This is the only key of ${name}: give it another one first, or remove the provider.`,
          });
        }
        await stores.resources.delete(webhookKey, id, admin);
        return { status: 204 };
      });
    },
  }),
];
