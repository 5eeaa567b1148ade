import { AppError, allRows, type FieldValue, type Ports, type Row } from "@postern/core";
import { uuidPattern } from "@postern/core/internal";
import { isAdmin, type Principal } from "@postern/rest";
import { z } from "zod";
import { invalid } from "../invalid-value.ts";
import { type clientKeySet, keysOf, storedKeys } from "../oauth/client-keys.ts";
import { type GrantType, grantTypes, grantTypesOf } from "../oauth/grant-types.ts";
import { randomHex } from "../oauth/random-text.ts";
import { client } from "../resources/client.ts";
import { wordsOf } from "../resources/stored-words.ts";
import type { shownClient } from "./wire/client.ts";

export const allClients = allRows("clients");
/** There are at most this many clients (docs/limits.md). */
export const mostClients = 100;

/** RFC 6749, section 5.1: secrets must not be cached. */
export const noStore = { "cache-control": "no-store" } as const;

/** Its keys in the form of the schema. They were checked when they were stored. */
const presentKeys = ({ jwks }: Row): z.infer<typeof clientKeySet> | null => {
  const keys = keysOf(jwks);
  return keys.length === 0 ? null : { keys: keys.map((key) => ({ ...key, kty: String(key.kty) })) };
};

/** @throws AppError `validation_failed`. */
export const acceptedKeys = ({ ports }: ClientParts, given: z.output<typeof clientKeySet>): FieldValue => {
  const stored = storedKeys(ports.jwtVerifier, given);
  if ("fault" in stored) throw invalid("jwks", stored.fault);
  // The keys arrived as JSON and are stored as JSON.
  return { keys: stored.keys } as FieldValue;
};

export const present = (row: Row): z.infer<typeof shownClient> => ({
  id: String(row.id),
  name: String(row.name),
  kind: row.kind === "public" ? "public" : "confidential",
  user_id: String(row.user_id),
  scopes: [...wordsOf(row.scopes)],
  redirect_uris: [...wordsOf(row.redirect_uris)],
  grant_types: [...grantTypesOf(row)],
  jwks: presentKeys(row),
  last_used_at: row.last_used_at === null || row.last_used_at === undefined ? null : String(row.last_used_at),
  created_at: String(row.created_at),
});

export const noSuchClient = (): AppError => new AppError("not_found", { detail: "There is no such client." });

/**
 * Only administrators get secrets of clients that act for others. Otherwise somebody with a
 * configured role could act as an administrator through a client.
 * @throws AppError `forbidden`.
 */
export const requireActingFor = (principal: Principal, userId: string): void => {
  if (isAdmin(principal) || (principal.kind === "user" && principal.userId === userId)) return;
  throw new AppError("forbidden", { detail: "Only administrators make clients that act for others." });
};

/** The dependencies of these operations. */
export interface ClientParts {
  readonly ports: Pick<Ports, "storage" | "secretBox" | "randomness" | "ids" | "jwtVerifier">;
  /** Every scope that operations require. */
  readonly scopes: () => readonly string[];
}

export const newSecret = ({ ports }: ClientParts): string => `pcs_${randomHex(ports.randomness, 32)}`;

/** @throws AppError `not_found`. */
export const clientOf = async ({ ports }: ClientParts, id: string): Promise<Row> => {
  const row = uuidPattern.test(id) ? await ports.storage.resources.find(client, id, allClients) : undefined;
  if (row === undefined) throw noSuchClient();
  return row;
};

/** Grant types as a request names them. */
export const chosenGrantTypes = z.array(z.enum(grantTypes)).min(1).max(grantTypes.length);

/** Each once, in one order. */
export const sortedTypes = (types: readonly GrantType[]): readonly string[] => [...new Set(types)].toSorted();
