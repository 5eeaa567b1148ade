import { AppError, allRows, equals, type FieldValue, type Ports, type Row, type Stores } from "@postern/core";
import { timestampOf, utf8Bytes } from "@postern/core/parts";
import type { RequestFacts } from "@postern/rest";
import { sha256Hex } from "@postern/webhook-verifier";
import type { AccountMail } from "../account/account-mail.ts";
import { outsideIdentity } from "../resources/outside-identity.ts";
import { user } from "../resources/user.ts";
import type { Settings } from "../settings.ts";
import { noPassword } from "../sign-in/password.ts";
import type { OutsideClaims } from "./outside-claims.ts";

const system = allRows("outside issuer");

/** The dependencies of accounts of an outside issuer. */
export interface OutsideAccountParts {
  readonly ports: Pick<Ports, "storage" | "clock" | "ids" | "wakeup">;
  readonly settings: Pick<Settings, "signup" | "confirmAddresses">;
  /** Tells the owner of an account that it was linked. */
  readonly mail: () => Pick<AccountMail, "noticesFor">;
}

/** The link between an outside account and a user. */
interface Link {
  readonly id: string;
  readonly userId: string;
}

/** Where a request comes from, for the audit log. */
export type Origin = Pick<RequestFacts, "id" | "address">;

const accountExists = (): AppError =>
  new AppError("account_exists", {
    detail:
      "There is an account with the address of this token. It is linked once both sides have verified the address, and to one outside account only: verify it here, or sign in here.",
  });

const unverified = (): AppError =>
  new AppError("address_unverified", {
    detail: "No account is known for this token. To make one, the token must say `email` and `email_verified: true`.",
  });

const identityOf = (issuer: string, subject: string): Promise<string> => sha256Hex(utf8Bytes(`${issuer}\n${subject}`));

/** @throws AppError `forbidden` for a link that was ended. */
const linkIn = (row: Row | undefined): Link | undefined => {
  if (row === undefined) return undefined;
  if (row.state === "linked") return { id: String(row.id), userId: String(row.user_id) };
  throw new AppError("forbidden", {
    detail:
      "The link of this outside account was ended. To let it be linked again, its user signs in here and sends DELETE /users/me/outside-identities/{id}?relink=allowed.",
  });
};

/** The address as accounts have it; `undefined` if no account can have it. */
const addressOf = ({ email }: OutsideClaims): string | undefined => {
  const parsed = user.fields.email?.schema.safeParse(email);
  return parsed?.success === true ? String(parsed.data) : undefined;
};

/**
 * The name of a new account: the issuer's, if it is a valid name, otherwise the beginning of the
 * address.
 */
const nameOf = ({ name }: OutsideClaims, email: string): string => {
  const parsed = user.fields.name?.schema.safeParse(name);
  return parsed?.success === true ? String(parsed.data) : (email.split("@")[0] ?? email);
};

/** A new user whose address the issuer has verified. The user can set a password by mail. */
const newUser = ({ ports }: OutsideAccountParts, claims: OutsideClaims, email: string): Row => {
  const now = timestampOf(ports.clock.now());
  const blank: Record<string, FieldValue> = {};
  for (const [name, field] of Object.entries(user.fields)) blank[name] = field.default ?? null;
  return {
    ...blank,
    id: ports.ids.uuid(),
    name: nameOf(claims, email),
    email,
    verified_email: email,
    password: noPassword,
    created_at: now,
    updated_at: now,
  };
};

/** Links an outside account to a user who is held or new. */
const insertLink = async (
  { ports }: OutsideAccountParts,
  stores: Pick<Stores, "resources" | "audit">,
  made: { readonly row: Row; readonly action: string },
  origin: Origin,
): Promise<Link> => {
  const { row, action } = made;
  const userId = String(row.user_id);
  await stores.resources.insert(outsideIdentity, row);
  await stores.audit.append({
    at: ports.clock.now(),
    actor: { kind: "user", id: userId },
    credential: `outside:${String(row.id)}`,
    action,
    resource: user.name,
    resourceId: userId,
    result: "done",
    requestId: origin.id,
    address: origin.address,
    fields: [],
  });
  return { id: String(row.id), userId };
};

/**
 * Links the outside account to the account with its address, or to a new one.
 * @throws AppError `account_exists`, `address_unverified`, `forbidden`; `conflict` when another
 *   request did the same first.
 */
const makeLink = async (
  parts: OutsideAccountParts,
  { issuer, claims }: { readonly issuer: string; readonly claims: OutsideClaims },
  identity: string,
  origin: Origin,
): Promise<Link> => {
  const { ports, settings } = parts;
  const { storage } = ports;
  const email = addressOf(claims);
  // If addresses are secret, a caller must have proved an address to learn whether it has an
  // account.
  if (email === undefined || (!claims.emailVerified && settings.confirmAddresses)) throw unverified();
  const withAddress = { scope: system, where: equals("email", email) };
  const order = [{ field: "id", direction: "asc" }] as const;
  const [known] = await storage.resources.list(user, { ...withAddress, order, limit: 1, fields: ["id"] });
  if (known === undefined && !claims.emailVerified) throw unverified();
  if (known === undefined && settings.signup === "admin") {
    throw new AppError("forbidden", { detail: "Only administrators create users here; no account has this address." });
  }
  const made = known === undefined ? newUser(parts, claims, email) : undefined;
  const now = timestampOf(ports.clock.now());
  const linkTo = (userId: string): Row => ({
    id: ports.ids.uuid(),
    user_id: userId,
    issuer,
    subject: claims.subject,
    identity,
    state: "linked",
    created_at: now,
    updated_at: now,
  });
  const notices = known === undefined ? [] : await noticesOf(parts, String(known.id), origin);
  const link = await storage.transaction(async (stores) => {
    const { resources } = stores;
    if (made !== undefined) {
      await resources.insert(user, made);
      return insertLink(parts, stores, { row: linkTo(String(made.id)), action: "outside.create-account" }, origin);
    }
    // The user is locked, so that nobody changes the address or makes another link in between.
    const [userId = ""] = await resources.hold(user, withAddress, 1);
    const account = await resources.find(user, userId, system, ["verified_email"]);
    if (!claims.emailVerified || account?.verified_email !== email) throw accountExists();
    const where = { all: [equals("user_id", userId), equals("issuer", issuer), equals("state", "linked")] };
    // The issuer may have given the address to another person since then.
    if ((await resources.list(outsideIdentity, { scope: system, where, order, limit: 1 })).length > 0) {
      throw accountExists();
    }
    if (notices.length > 0) await stores.jobs.enqueue(notices, ports.clock.now());
    return insertLink(parts, stores, { row: linkTo(userId), action: "outside.link-account" }, origin);
  });
  if (notices.length > 0) ports.wakeup.notify();
  return link;
};

/** The jobs that tell the owner of an account that an outside account can use it. */
const noticesOf = ({ ports, mail }: OutsideAccountParts, userId: string, { address }: Origin) =>
  mail().noticesFor({ now: () => ports.clock.now(), request: { address } }, userId, ["outside account linked"]);

/**
 * Finds the user to whom an outside account is linked. An unknown outside account is linked to the
 * account with its address, if both sides have verified the address. If there is no such account,
 * one is made. If several requests come at once, one of them makes the link and all use it.
 * @throws AppError `account_exists`, `address_unverified`; `forbidden` also for a link that was
 *   ended.
 */
export const outsideAccount = async (
  parts: OutsideAccountParts,
  issuer: string,
  claims: OutsideClaims,
  origin: Origin,
): Promise<Link> => {
  const { storage } = parts.ports;
  const identity = await identityOf(issuer, claims.subject);
  const find = async (): Promise<Link | undefined> => {
    const [row] = await storage.resources.list(outsideIdentity, {
      scope: system,
      where: equals("identity", identity),
      order: [{ field: "id", direction: "asc" }],
      limit: 1,
      fields: ["id", "user_id", "state"],
    });
    return linkIn(row);
  };
  const known = await find();
  if (known !== undefined) return known;
  try {
    return await makeLink(parts, { issuer, claims }, identity, origin);
  } catch (thrown) {
    if (!(thrown instanceof AppError) || (thrown.code !== "conflict" && thrown.code !== "account_exists")) throw thrown;
    // Another request of the same account may have been first.
    const linked = await find();
    if (linked !== undefined) return linked;
    throw thrown.code === "conflict" ? accountExists() : thrown;
  }
};
