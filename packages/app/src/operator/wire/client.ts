import { uuidText } from "@postern/core/internal";
import { z } from "zod";
import { clientKeySet } from "../../oauth/client-keys.ts";
import { grantTypes } from "../../oauth/grant-types.ts";
import { moment } from "./times.ts";

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
