import { AppError, allRows, equals, type Ports, type ResourceRepository, type Row } from "@postern/core";
import { timestampOf, uuidPattern, uuidText } from "@postern/core/internal";
import {
  createRow,
  type EngineCall,
  hasSignedInRecently,
  idOf,
  isAdmin,
  type Operation,
  principalOf,
  rowSchema,
  scopeFor,
  signInTooOld,
  tableEntry,
} from "@postern/rest";
import { z } from "zod";
import { type AccountMail, enqueuing } from "../account/account-mail.ts";
import { adminOperation } from "../admin-operation.ts";
import { invalid } from "../invalid-value.ts";
import { client } from "../resources/client.ts";
import { longestIssuer, longestSubject, outsideIdentity } from "../resources/outside-identity.ts";
import { user } from "../resources/user.ts";
import type { Settings } from "../settings.ts";
import { hashIn } from "../sign-in/password.ts";
import { programIdentity } from "./machine-tokens.ts";
import { identityOf } from "./outside-accounts.ts";

const system = allRows("outside identities");

/** The dependencies of these operations. */
export interface OutsideIdentityParts {
  readonly ports: Pick<Ports, "storage" | "wakeup">;
  readonly settings: Pick<Settings, "outsideIssuer">;
  readonly mail: Pick<AccountMail, "noticesFor">;
}

const noSuchLink = (): AppError => new AppError("not_found", { detail: "There is no such link." });

/** The link that the path names, if the caller may end it. @throws AppError `not_found` */
const linkOf = async (resources: ResourceRepository, call: EngineCall): Promise<Row> => {
  const userId = idOf(user, call, "id");
  const { identityId = "" } = call.params;
  if (!uuidPattern.test(identityId)) throw noSuchLink();
  const scope = scopeFor(principalOf(call), outsideIdentity.access.delete);
  const found = await resources.find(outsideIdentity, identityId, scope);
  if (found?.user_id !== userId) throw noSuchLink();
  return found;
};

/**
 * Makes sure that the user of a link can sign in without it: with a password, or with another
 * account of the issuer whose tokens are accepted. The user is locked, so that two requests at once
 * are checked one after the other.
 * @throws AppError `state_conflict`
 */
const requireOtherWay = async (
  resources: ResourceRepository,
  link: Row,
  accepted: string | undefined,
): Promise<void> => {
  // A program never signs in.
  if ((link.client_id ?? null) !== null) return;
  const userId = String(link.user_id);
  await resources.hold(user, { scope: system, where: equals("id", userId) }, 1);
  const account = await resources.find(user, userId, system, ["password"]);
  if (hashIn(account?.password) !== undefined) return;
  const others = await resources.list(outsideIdentity, {
    scope: system,
    where: {
      all: [
        equals("user_id", userId),
        equals("issuer", accepted ?? ""),
        equals("state", "linked"),
        equals("client_id", null),
        { field: "id", op: "ne", value: String(link.id) },
      ],
    },
    order: [{ field: "id", direction: "asc" }],
    limit: 1,
    fields: ["id"],
  });
  if (others.length > 0) return;
  throw new AppError("state_conflict", {
    detail:
      "The account has no password, so this is its only way to sign in. Set a password first: ask for a link with POST /password-resets (which needs a verified address), or let an administrator set one.",
  });
};

const endLink = ({ ports, settings, mail }: OutsideIdentityParts): Operation =>
  tableEntry({
    id: "outside-identities.delete",
    method: "DELETE",
    path: "/users/{id}/outside-identities/{identityId}",
    access: "user",
    signIn: true,
    summary: "End the link to an outside account; its tokens are refused from the next request on",
    confirm: "End the link {identityId} of the user {id}? Tokens of the outside account are refused at once.",
    tag: outsideIdentity.plural,
    query: z.strictObject({
      relink: z.enum(["allowed"]).optional().meta({
        description:
          "`allowed` deletes the link, even one that has already ended, so that a token of the outside account can link it again.",
      }),
    }),
    success: { status: 204, description: "It has ended." },
    errors: ["not_found", "state_conflict", "sign_in_too_old"],
    handle: async (call) => {
      const seen = await linkOf(call.rows, call);
      if (!hasSignedInRecently(principalOf(call), call.now())) throw signInTooOld();
      const forget = call.query.relink === "allowed";
      const id = String(seen.id);
      if (seen.state === "ended" && !forget) return { status: 204 };
      const happened = forget ? "outside account allowed" : "outside account ended";
      const notices = await mail.noticesFor(call, String(seen.user_id), [happened]);
      const telling = enqueuing(call, ports, async () => notices);
      const about = { resource: outsideIdentity.name, id, ...(forget ? {} : { fields: ["state"] }) };
      return telling.write(about, async ({ resources }) => {
        if (seen.state === "linked") await requireOtherWay(resources, seen, settings.outsideIssuer?.issuer);
        const now = timestampOf(call.now());
        const result = forget
          ? await resources.delete(outsideIdentity, id, system)
          : await resources.update(outsideIdentity, { id, scope: system }, { state: "ended", updated_at: now });
        if (result !== "done") throw noSuchLink();
        return { status: 204 };
      });
    },
  });

const subjectText = z
  .string()
  .regex(/^[\x20-\x7e]+$/)
  .max(longestSubject);

/** The client that a link is for. @throws AppError `validation_failed`. */
const clientOfLink = async (resources: ResourceRepository, id: string, userId: string): Promise<void> => {
  const made = await resources.find(client, id, system, ["user_id"]);
  if (made?.user_id !== userId) throw invalid("client_id", "there is no such client that acts for this user");
};

/** Makes a link that no token could make: both sides need not have verified an address. */
const makeLink = ({ ports, settings, mail }: OutsideIdentityParts): Operation =>
  adminOperation({
    id: "admin.outside-identities.create",
    method: "POST",
    path: "/admin/users/{id}/outside-identities",
    // Who makes a link can act as the user from elsewhere.
    signIn: true,
    summary: "Link an account or a program at an outside issuer to a user",
    body: z
      .strictObject({
        subject: subjectText.meta({
          description: "The `sub` of a person's tokens; of a program's, the `azp`, else `client_id`, else `sub`.",
        }),
        issuer: z
          .string()
          .min(1)
          .max(longestIssuer)
          .optional()
          .meta({ description: "Default: the outside issuer of this server." }),
        client_id: uuidText.optional().meta({
          description: "The client of this user that the program acts as. Without it, the link is for a person.",
        }),
      })
      .meta({ examples: [{ subject: "248289761001", issuer: "https://id.example.com" }] }),
    // Whether the client and a default issuer exist is not a matter of form.
    checkedAfterSchema: ["invalid_value"],
    success: { status: 201, description: "The link.", body: z.lazy(() => rowSchema(outsideIdentity)) },
    errors: ["not_found", "conflict", "sign_in_too_old"],
    handle: async (call) => {
      const principal = principalOf(call);
      const { subject, issuer = settings.outsideIssuer?.issuer, client_id = null } = call.body;
      const userId = idOf(user, call, "id");
      if (!isAdmin(principal)) throw new AppError("forbidden", { detail: "Only administrators link accounts." });
      if (!hasSignedInRecently(principal, call.now())) throw signInTooOld();
      if (issuer === undefined) throw invalid("issuer", "this server has no outside issuer, so name one");
      const { resources } = ports.storage;
      if ((await resources.find(user, userId, system, ["id"])) === undefined) {
        throw new AppError("not_found", { detail: "There is no such user." });
      }
      if (client_id !== null) await clientOfLink(resources, client_id, userId);
      const identity = await (client_id === null ? identityOf : programIdentity)(issuer, subject);
      const notices = await mail.noticesFor(call, userId, ["outside account linked"]);
      const filled = { user_id: userId, issuer, subject, identity, client_id, state: "linked" };
      const telling = enqueuing(call, ports, async () => notices);
      return createRow(outsideIdentity, telling, { given: {}, filled, shown: undefined });
    },
  });

/** The operations on links to outside accounts beyond the standard list. */
export const outsideIdentityOperations = (parts: OutsideIdentityParts): readonly Operation[] => [
  endLink(parts),
  makeLink(parts),
];
