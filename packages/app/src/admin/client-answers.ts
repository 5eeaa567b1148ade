import { AppError, allRows, type FieldValue, type Ports, type Row } from "@postern/core";
import { uuidPattern, uuidText } from "@postern/core/internal";
import { isAdmin, type Principal } from "@postern/rest";
import { z } from "zod";
import { clientKeySet, keysOf, storedKeys } from "../oauth/client-keys.ts";
import { type GrantType, grantTypes, grantTypesOf } from "../oauth/grant-types.ts";
import { randomHex } from "../oauth/random-text.ts";
import { client } from "../resources/client.ts";
import { wordsOf } from "../resources/stored-words.ts";
import { moment } from "./times.ts";

export const allClients = allRows("clients");
/** There are at most this many clients (docs/limits.md). */
export const mostClients = 100;

/** RFC 6749, section 5.1: secrets must not be cached. */
export const noStore = { "cache-control": "no-store" } as const;

const exampleClient = {
  id: "019a5e2f-0b3d-7e44-b1a6-64d2f09c8e57",
  name: "Nightly report",
  kind: "confidential",
  user_id: "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
  scopes: ["posts:read"],
  redirect_uris: [],
  grant_types: ["client_credentials"],
  jwks: null,
  last_used_at: "2026-11-21T02:00:00.000Z",
  created_at: "2026-11-20T15:12:45.000Z",
} as const;

export const shownClient = z
  .object({
    id: uuidText.meta({ description: "The `client_id` of OAuth 2." }),
    name: z.string(),
    kind: z.enum(["confidential", "public"]),
    user_id: uuidText.meta({ description: "The account that it acts for with client credentials." }),
    scopes: z.array(z.string()),
    redirect_uris: z.array(z.string()),
    grant_types: z.array(z.enum(grantTypes)).meta({ description: "How it may get tokens at `/oauth/token`." }),
    jwks: clientKeySet.nullable().meta({
      description: "Its public keys, if it proves itself with assertions (`private_key_jwt`); null if it has none.",
    }),
    last_used_at: moment
      .nullable()
      .meta({ description: "When it last got a token, to the minute; null if it never did." }),
    created_at: moment,
  })
  .meta({ id: "oauth_client", examples: [exampleClient] });

export const clientWithSecret = shownClient
  .extend({
    secret: z.string().nullable().meta({
      description:
        "The secret itself. It is shown this once and never again; null for a public client and for one with keys.",
    }),
  })
  .meta({
    id: "oauth_client_with_secret",
    examples: [
      {
        ...exampleClient,
        last_used_at: null,
        secret: "pcs_7b1f0c9e4d6a58327b1f0c9e4d6a58327b1f0c9e4d6a58327b1f0c9e4d6a5832",
      },
    ],
  });

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

export const invalid = (member: string, detail: string): AppError =>
  new AppError("validation_failed", {
    detail: `${member}: ${detail}.`,
    faults: [{ pointer: `/${member}`, code: "invalid_value", detail }],
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
