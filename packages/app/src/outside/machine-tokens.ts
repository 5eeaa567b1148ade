import { AppError, allRows, equals, type Ports, type Row } from "@postern/core";
import { utf8Encode } from "@postern/core/internal";
import type { JwtClaims } from "@postern/core/ports";
import { challenge, type UserPrincipal } from "@postern/rest";
import { sha256Hex } from "@postern/webhook-verifier";
import { client } from "../resources/client.ts";
import { outsideIdentity } from "../resources/outside-identity.ts";
import { wordsOf } from "../resources/stored-words.ts";
import { user } from "../resources/user.ts";
import type { Settings } from "../settings.ts";
import { roleFields, roleInForce } from "../sign-in/role-in-force.ts";

const system = allRows("authentication");

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** How the tokens of programs differ from those of people, by issuer. Any one of these is enough. */
const signs: readonly ((claims: JwtClaims) => boolean)[] = [
  // Entra ID: the optional claim, and what its documentation compares without it.
  ({ idtyp }) => idtyp === "app",
  ({ sub, oid }) => isText(sub) && sub === oid,
  // Auth0.
  ({ gty }) => (Array.isArray(gty) ? gty : [gty]).some((one) => /^client[-_]credentials$/.test(String(one))),
  ({ sub }) => isText(sub) && sub.endsWith("@clients"),
  // RFC 9068, section 2.2: without a user, the subject is the client. So do Okta, Cognito and Google.
  ({ sub, azp, client_id, cid }) => isText(sub) && [azp, client_id, cid].includes(sub),
  // Cognito.
  ({ token_use, username }) => token_use === "access" && !isText(username),
  // Keycloak.
  ({ preferred_username }) => isText(preferred_username) && /^service-account-/i.test(preferred_username),
];

/**
 * The name of the program that got a token by itself, without a user; `undefined` for the token of a
 * person.
 */
export const programOf = (claims: JwtClaims): string | undefined => {
  if (!signs.some((isSo) => isSo(claims))) return undefined;
  const { azp, client_id, sub } = claims;
  return [azp, client_id, sub].find(isText);
};

/** The digest by which the link of a program is found. It is never that of a person's account. */
export const programIdentity = (issuer: string, name: string): Promise<string> =>
  sha256Hex(utf8Encode(`${issuer}\nclient\n${name}`));

/** The dependencies of tokens of programs. */
interface ProgramParts {
  readonly ports: Pick<Ports, "storage">;
  readonly settings: Pick<Settings, "adminMfa">;
}

/**
 * The client that acts for a program. A program never gets an account, and never more than the scopes
 * that both its client and its token have.
 * @throws AppError `forbidden` unless an administrator has linked it to a client;
 *   `insufficient_scope` if token and client have no scope in common, or as `granted` throws.
 */
export const programPrincipal = async (
  { ports, settings }: ProgramParts,
  { issuer, name }: { readonly issuer: string; readonly name: string },
  granted: () => readonly string[] | undefined,
): Promise<UserPrincipal> => {
  const { resources } = ports.storage;
  const identity = await programIdentity(issuer, name);
  const [link] = await resources.list(outsideIdentity, {
    scope: system,
    where: { all: [equals("identity", identity), equals("state", "linked")] },
    order: [{ field: "id", direction: "asc" }],
    limit: 1,
    fields: ["client_id"],
  });
  const made = link === undefined ? undefined : await resources.find(client, String(link.client_id), system);
  const account: Row | undefined =
    made === undefined ? undefined : await resources.find(user, String(made.user_id), system, roleFields);
  if (made === undefined || account === undefined) {
    throw new AppError("forbidden", {
      detail: `This token is one of a program, not of a person, and no client here is linked to it. An administrator links one: postern clients link CLIENT --sub ${name}`,
    });
  }
  const said = granted();
  const scopes = wordsOf(made.scopes).filter((scope) => said === undefined || said.includes(scope));
  if (scopes.length === 0) {
    throw new AppError("insufficient_scope", {
      detail: `The token and the client ${String(made.id)} that it acts as have no scope in common. The client has ${wordsOf(made.scopes).join(" ")}.`,
      headers: challenge("insufficient_scope"),
    });
  }
  return {
    kind: "user",
    userId: String(made.user_id),
    ...roleInForce(account, settings),
    credential: { kind: "client", id: String(made.id), scopes },
  };
};
