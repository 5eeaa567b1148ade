import { isIssuer, type OutsideIssuer } from "@postern/app";
import { z } from "zod";

const longText = z.string().max(255, { error: "at most 255 characters" });
const texts = z.string().transform((text) => text.split(",").map((one) => one.trim()));
const listOf = (most: number, what: string) =>
  texts.refine((list) => list.length <= most && list.every((one) => one.length > 0 && one.length <= 255), {
    error: `1 to ${most} ${what}, separated by commas`,
  });

/** The variables about an outside issuer. */
export const oidcVariables = {
  POSTERN_OIDC_ISSUER: z
    .string()
    .refine(isIssuer, { error: "the https URL of an issuer, exactly as its tokens name it, without a query" })
    .optional(),
  POSTERN_OIDC_AUDIENCE: listOf(20, "audiences").optional(),
  POSTERN_OIDC_INTERNAL_URL: z.url({ protocol: /^https?$/, error: "an http or https URL" }).optional(),
  POSTERN_OIDC_ROLE_CLAIM: longText.optional(),
  POSTERN_OIDC_SCOPE_CLAIMS: listOf(10, "names of claims").optional(),
  POSTERN_OIDC_SCOPE_PREFIX: longText.optional(),
  POSTERN_OIDC_FULL_ACCESS: listOf(100, "values").optional(),
  POSTERN_OIDC_SCOPES: z.enum(["optional", "required"], { error: "one of optional, required" }).optional(),
  POSTERN_OIDC_TRUST_ADDRESSES: listOf(100, "domains such as example.com, or *")
    .transform((domains) => (domains.length === 1 && domains[0] === "*" ? ("*" as const) : domains))
    .optional(),
  POSTERN_OIDC_EMAIL_CLAIM: longText.optional(),
  POSTERN_OIDC_ACCOUNTS: z.enum(["address", "subject"], { error: "one of address, subject" }).optional(),
};

type OidcVariables = {
  readonly [Name in keyof typeof oidcVariables]?: z.output<(typeof oidcVariables)[Name]> | undefined;
};

/** The other settings would have no effect alone. The server's own tokens need no outside issuer. */
export const issuerFaults = (given: Readonly<Record<string, string | undefined>>): readonly string[] => [
  ...Object.keys(oidcVariables)
    .filter((name) => given.POSTERN_OIDC_ISSUER === undefined && given[name] !== undefined)
    .filter((name) => name !== "POSTERN_OIDC_AUDIENCE")
    .map((name) => `${name} needs POSTERN_OIDC_ISSUER, whose tokens it is about.`),
  ...(given.POSTERN_OIDC_ISSUER !== undefined &&
  given.POSTERN_OIDC_ISSUER === `${given.POSTERN_PUBLIC_URL?.replace(/\/$/, "")}${given.POSTERN_BASE_PATH ?? ""}`
    ? ["POSTERN_OIDC_ISSUER is this server itself (POSTERN_PUBLIC_URL), whose tokens are accepted anyway."]
    : []),
];

/** The members that are set. */
const defined = <Members extends object>(members: Members) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]: Exclude<Members[Name], undefined>;
  };

/** The outside issuer that the environment names. */
export const outsideIssuerOf = (values: OidcVariables): OutsideIssuer | undefined => {
  const { POSTERN_OIDC_ISSUER: issuer, POSTERN_OIDC_AUDIENCE: audience } = values;
  if (issuer === undefined || audience === undefined) return undefined;
  return defined({
    issuer,
    audience: audience.length === 1 ? String(audience[0]) : audience,
    internalUrl: values.POSTERN_OIDC_INTERNAL_URL,
    roleClaim: values.POSTERN_OIDC_ROLE_CLAIM,
    scopeClaims: values.POSTERN_OIDC_SCOPE_CLAIMS,
    scopePrefix: values.POSTERN_OIDC_SCOPE_PREFIX,
    fullAccess: values.POSTERN_OIDC_FULL_ACCESS,
    scopes: values.POSTERN_OIDC_SCOPES,
    trustAddresses: values.POSTERN_OIDC_TRUST_ADDRESSES,
    emailClaim: values.POSTERN_OIDC_EMAIL_CLAIM,
    accounts: values.POSTERN_OIDC_ACCOUNTS,
  });
};
