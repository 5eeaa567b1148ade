import { AppError, type Resource, type Row, type Stores } from "@postern/core";
import {
  alwaysShown,
  createRow,
  type EngineCall,
  marks,
  type Operation,
  type OperationAnswer,
  rowSchema,
} from "@postern/rest";
import { z } from "zod";
import { enqueuing } from "../account/account-mail.ts";
import { issueToken } from "../account/account-token.ts";
import { isHeldOnTrust } from "../account/letter-writer.ts";
import { adminOperation } from "../admin-operation.ts";
import { user as builtInUser } from "../resources/user.ts";
import type { Settings } from "../settings.ts";
import { noPassword } from "../sign-in/password.ts";
import { type AccountParts, handedOver, typedAddress } from "./password-reset-operations.ts";

interface InvitationParts extends AccountParts {
  readonly settings: Pick<Settings, "accountPage">;
}

/** An invitation gives an account at once, and nobody has proved the address yet. */
const heldOnTrust = (): AppError => {
  const detail =
    "An account has this address only because an outside issuer named it. If that is the person, make the link: postern users link USER --sub SUB. If not, they get the address when they sign up here and open the mailed link; or give that account another address first.";
  return new AppError("conflict", { detail, faults: [{ pointer: "/email", code: "taken", detail: "already in use" }] });
};

/** A mail is opened soon. A link that one person gives to another takes longer. */
const handedOverMs = 7 * 24 * 3_600_000;

const link = z
  .string()
  .nullable()
  .meta({
    examples: ["https://api.example.com/api/account#invite=act_2TkqKQ0TtQzE6Rb0ZbXG4v_7RcTzT0yWc1hE5mH0oQ3aL"],
    description:
      "Where no mail server is set: the link with which the new user chooses a password, once, within seven days. Give it to them; it is not shown again. It is a path if the server does not know its own address. Null if it is on its way by mail.",
  });

const invitedUser = (user: Resource) =>
  rowSchema(user)
    .extend({ link })
    .meta({ id: "invited_user", [marks.resource]: user.name, [marks.always]: [...alwaysShown(user), "link"] });

/** The page that links lead to, as the caller reaches this server. */
const pageOf = ({ settings }: InvitationParts, { request }: Pick<EngineCall, "request">): string =>
  settings.accountPage ?? `${request.base.replace(/\/v\d+$/, "")}/account`;

/** Makes the account, and answers with what `linkOf` makes in the same transaction. */
const withLink = (call: EngineCall, linkOf: (stores: Stores, made: Row) => Promise<string | null>): EngineCall => ({
  ...call,
  write: (about, work) =>
    call.write(about, async (stores, own): Promise<OperationAnswer> => {
      const made = await work(stores, own);
      const row: Row = Object(made.body);
      return { ...made, body: { ...row, link: await linkOf(stores, row) } };
    }),
});

/** Makes the link for the owner of an account. */
const newLink = async (parts: InvitationParts, call: EngineCall, { resources }: Stores, { id, email }: Row) => {
  const subject = String(email);
  const token = await issueToken(parts.ports, resources, {
    purpose: "invite",
    userId: String(id),
    subject,
    content: handedOver,
    lifeMs: handedOverMs,
    most: 1,
  });
  // The account is new, so it has no link yet. Another account had one if it lost this address.
  if (token === undefined) throw new AppError("state_conflict", { detail: `A link for ${subject} is still valid.` });
  return `${pageOf(parts, call)}#invite=${token.text}`;
};

/** Accounts that an administrator makes for others, who choose the password themselves. */
export const invitationOperations = (
  parts: InvitationParts,
  resources: ReadonlyMap<string, Resource>,
): readonly Operation[] => {
  const { ports, mail } = parts;
  const user = resources.get(builtInUser.name) ?? builtInUser;
  const { name, email, role } = user.fields;
  return [
    adminOperation({
      id: "admin.invitations.create",
      method: "POST",
      path: "/admin/invitations",
      summary: "Invite somebody: make an account whose owner chooses the password by a link",
      body: z
        .strictObject({
          name: name?.schema ?? z.string(),
          email: email?.schema ?? typedAddress,
          role: role?.schema.optional() ?? z.string().optional(),
        })
        .meta({ examples: [{ name: "Grace Hopper", email: "grace@example.com" }] }),
      success: {
        status: 201,
        description: "The new user. The link is on its way to them by mail, or stands in `link`.",
        body: z.lazy(() => invitedUser(user)),
      },
      errors: ["conflict", "state_conflict", "sign_in_too_old", "overloaded"],
      handle: async (call) => {
        if (await isHeldOnTrust(ports, String(call.body.email))) throw heldOnTrust();
        const row = { given: call.body, filled: { password: noPassword }, shown: undefined };
        if (!mail.reachesPeople) {
          return createRow(
            user,
            withLink(call, (stores, made) => newLink(parts, call, stores, made)),
            row,
          );
        }
        const inviting = enqueuing(call, ports, async ({ id = "" }) => mail.jobsFor({ about: "invite", userId: id }));
        return createRow(
          user,
          withLink(inviting, async () => null),
          row,
        );
      },
    }),
  ];
};
