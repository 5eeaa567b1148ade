import { AppError } from "@postern/core";
import { uuidPattern } from "@postern/core/internal";
import { definitionOf } from "@postern/inbox/internal";
import type { Operation } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import {
  changeProvider,
  checkUsable,
  daySeconds,
  keyId,
  keyText,
  newKey,
  type ProviderParts,
  refuseConfigured,
  storedProvider,
} from "./change-provider.ts";
import { keyState, presentStored } from "./present-provider.ts";
import { shownProvider } from "./wire/sender.ts";
import { moment } from "./wire/times.ts";

/** How many valid keys a provider may have. Each delivery is checked against all of them. */
const mostGoodKeys = 5;

const rotateKey = ({ ports, providers }: ProviderParts): Operation =>
  adminOperation({
    id: "admin.providers.rotate",
    method: "POST",
    path: "/admin/providers/{name}/keys",
    summary: "Give a sender a new key; the old keys stay valid for a while",
    confirm:
      "Give the sender {name} another key? Its old keys end when the overlap is over; without one, deliveries signed with them are refused at once.",
    checkedAfterSchema: ["invalid_format"],
    body: z
      .strictObject({
        key: keyText,
        key_id: keyId.optional(),
        not_before: moment.optional().meta({ description: "When it becomes valid. Default: at once." }),
        overlap_seconds: z
          .int()
          .min(0)
          .max(90 * daySeconds)
          .default(daySeconds)
          .meta({ description: "How long the old keys stay valid beside it. Default: a day; 0 ends them at once." }),
      })
      .meta({ examples: [{ key: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", overlap_seconds: 86_400 }] }),
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
        return { status: 201, body: await presentStored(ports, changed, stores) };
      });
    },
  });

const deleteKey = ({ ports, providers }: ProviderParts): Operation =>
  adminOperation({
    id: "admin.providers.deleteKey",
    method: "DELETE",
    path: "/admin/providers/{name}/keys/{id}",
    summary: "End a sender's key at once",
    confirm:
      "End the key {id} of the sender {name}? Deliveries signed with it are refused at once. This cannot be undone.",
    success: { status: 204, description: "Deliveries signed with it are refused from now on." },
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
            detail: `This is the only key of ${name}: add another key first, or remove the provider.`,
          });
        }
        await stores.providers.save({ ...stored, keys: keys.filter((key) => key.id !== id) }, ports.clock.now());
        return { status: 204 };
      });
    },
  });

/** The keys of senders at run time: they are replaced with an overlap, or ended at once. */
export const providerKeyOperations = (parts: ProviderParts): readonly Operation[] => [
  rotateKey(parts),
  deleteKey(parts),
];
