import {
  AppError,
  allRows,
  equals,
  type FieldValue,
  type Ports,
  type Resource,
  type Row,
  type Stores,
} from "@postern/core";
import { timestampOf, utf8Encode } from "@postern/core/internal";
import type { EngineCall, RequestFacts } from "@postern/rest";
import { auditTrail } from "@postern/rest/internal";
import { sha256Hex } from "@postern/webhook-verifier";
import type { AccountMail } from "../account/account-mail.ts";
import { isOnTrust, isPlaceholder, takeAddress, trustFields } from "../account/trusted-addresses.ts";
import { outsideIdentity } from "../resources/outside-identity.ts";
import { user } from "../resources/user.ts";
import type { Settings } from "../settings.ts";
import { noPassword } from "../sign-in/password.ts";
import type { OutsideClaims } from "./outside-claims.ts";
import { isTrusted, type NamedIssuer, type OutsideIssuer, originOf, settingName } from "./outside-issuer.ts";

const system = allRows("outside issuer");

/** The dependencies of accounts of an outside issuer. */
export interface OutsideAccountParts {
  readonly ports: Pick<Ports, "storage" | "clock" | "ids" | "wakeup">;
  readonly settings: Pick<Settings, "signup" | "confirmAddresses">;
  readonly outside: NamedIssuer;
  /** Tells the owner of an account that it was linked. */
  readonly mail: Pick<AccountMail, "noticesFor">;
  /** The user as the application has it. */
  readonly user: Resource;
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
      "There is an account with the address of this token. It is linked once both sides have verified the address, and to one outside account only: verify it here, or sign in here. An administrator can make the link: postern users link USER --sub SUB.",
  });

/** Which settings would let an account be made for a token. */
const unverified = (email: string | undefined, outside: NamedIssuer): AppError => {
  const { emailClaim = "email" } = outside;
  return new AppError("address_unverified", {
    detail: `No account is known for this token, and ${
      email === undefined
        ? `its claim "${emailClaim}" (${settingName(outside, "emailClaim")}) is no address`
        : `the issuer does not say that it has verified the address: "${emailClaim}_verified" is not true`
    }. ${settingName(outside, "trustAddresses")} makes accounts with addresses that are not verified, ${settingName(outside, "accounts")}=subject those without an address; or an administrator makes the link: postern users link USER --sub SUB.`,
  });
};

/** The digest by which the link of a person's account is found. */
export const identityOf = (issuer: string, subject: string): Promise<string> =>
  sha256Hex(utf8Encode(`${issuer}\n${subject}`));

/** @throws AppError `forbidden` for a link that was ended. */
const linkIn = (row: Row | undefined): Link | undefined => {
  if (row === undefined) return undefined;
  if (row.state === "linked") return { id: String(row.id), userId: String(row.user_id) };
  throw new AppError("forbidden", {
    detail:
      "The link of this outside account was ended. To let it be linked again, its user signs in here and sends DELETE /users/me/outside-identities/{id}?relink=allowed.",
  });
};

/** The address as accounts have it; `undefined` if no account can have it, or no mail arrives there. */
const addressOf = ({ email }: OutsideClaims): string | undefined => {
  const parsed = user.fields.email?.schema.safeParse(email);
  const address = parsed?.success === true ? String(parsed.data) : undefined;
  return address === undefined || isPlaceholder(address) ? undefined : address;
};

/**
 * The name of a new account: the issuer's, if it is a valid name, otherwise the beginning of the
 * address.
 */
const nameOf = ({ name }: OutsideClaims, email: string): string => {
  const parsed = user.fields.name?.schema.safeParse(name);
  return parsed?.success === true ? String(parsed.data) : (email.split("@")[0] ?? email);
};

/**
 * A new user without a password. Only an address that the issuer has verified counts as verified
 * here. Without an address, the account gets one that is never mailed and that nobody can foresee.
 */
const newUser = async (
  { ports, outside, user: { fields } }: OutsideAccountParts,
  claims: OutsideClaims,
  address: string | undefined,
  identity: string,
): Promise<Row> => {
  const now = timestampOf(ports.clock.now());
  const id = ports.ids.uuid();
  const blank: Record<string, FieldValue> = {};
  for (const [name, field] of Object.entries(fields)) blank[name] = field.default ?? null;
  const host = originOf(outside.issuer)?.host.replaceAll(/[^a-z0-9.-]/g, "") ?? "";
  const email = address ?? `${await sha256Hex(utf8Encode(`${identity}\n${id}`))}@${host.slice(0, 150)}.invalid`;
  return {
    ...blank,
    id,
    name: nameOf(claims, address ?? claims.subject),
    email,
    verified_email: claims.emailVerified ? (address ?? null) : null,
    trusted_email: claims.emailVerified ? null : (address ?? null),
    password: noPassword,
    created_at: now,
    updated_at: now,
  };
};

/** Notes in the audit log what a token of an outside account did for its user. */
const trailOf =
  ({ ports }: OutsideAccountParts, userId: string, origin: Origin): EngineCall["note"] =>
  (log, about) =>
    auditTrail(
      ports.clock,
      { id: "" },
      origin,
      undefined,
    )(log, {
      actor: { kind: "user", id: userId },
      resource: user.name,
      id: userId,
      ...about,
    });

/** Links an outside account to a user who is held or new. */
const insertLink = async (
  parts: OutsideAccountParts,
  stores: Pick<Stores, "resources" | "audit">,
  made: { readonly row: Row; readonly action: string },
  origin: Origin,
): Promise<Link> => {
  const { row, action } = made;
  const userId = String(row.user_id);
  await stores.resources.insert(outsideIdentity, row);
  const credential = `outside:${String(row.id)}`;
  const about = { action, credential, resource: user.name, id: userId };
  await trailOf(parts, userId, origin)(stores.audit, about);
  return { id: String(row.id), userId };
};

/** What the token says about its address, and how far that is believed. */
const standingOf = (
  claims: OutsideClaims,
  email: string | undefined,
  { trustAddresses = [] }: OutsideIssuer,
): "verified" | "trusted" | "none" => {
  if (email === undefined) return "none";
  if (claims.emailVerified) return "verified";
  return isTrusted(email, trustAddresses) ? "trusted" : "none";
};

/** @throws AppError `forbidden` where only administrators create users. */
const requireSignUp = ({ settings }: OutsideAccountParts): void => {
  if (settings.signup === "open") return;
  throw new AppError("forbidden", {
    detail:
      "Only administrators create users here, and no account is known for this token. An administrator can make the link: postern users link USER --sub SUB.",
  });
};

/**
 * Links the outside account to the account with its address, or to a new one. Only an address that
 * both sides have verified links an account that exists.
 * @throws AppError `account_exists`, `address_unverified`, `forbidden`; `conflict` when another
 *   request did the same first.
 */
const makeLink = async (
  parts: OutsideAccountParts,
  claims: OutsideClaims,
  identity: string,
  origin: Origin,
): Promise<Link> => {
  const { ports, settings, outside } = parts;
  const { storage } = ports;
  const { issuer } = outside;
  const email = addressOf(claims);
  const standing = standingOf(claims, email, outside);
  const order = [{ field: "id", direction: "asc" }] as const;
  const now = timestampOf(ports.clock.now());
  const linkTo = (userId: string): Row => ({
    id: ports.ids.uuid(),
    user_id: userId,
    issuer,
    subject: claims.subject,
    identity,
    client_id: null,
    state: "linked",
    created_at: now,
    updated_at: now,
  });
  const insertAccount = async (stores: Pick<Stores, "resources" | "audit">, made: Row): Promise<Link> => {
    await stores.resources.insert(parts.user, made);
    return insertLink(parts, stores, { row: linkTo(String(made.id)), action: "outside.create-account" }, origin);
  };
  if (standing === "none" && outside.accounts === "subject") {
    requireSignUp(parts);
    const made = await newUser(parts, claims, undefined, identity);
    return storage.transaction((stores) => insertAccount(stores, made));
  }
  // If addresses are secret, a caller must have proved an address to learn whether it has an
  // account.
  if (email === undefined || (standing === "none" && settings.confirmAddresses)) throw unverified(email, outside);
  const withAddress = { scope: system, where: equals("email", email) };
  const fields = ["id", ...trustFields];
  const [known] = await storage.resources.list(user, { ...withAddress, order, limit: 1, fields });
  if (known === undefined && standing === "none") throw unverified(email, outside);
  if (known !== undefined && standing !== "verified") {
    throw settings.confirmAddresses ? unverified(email, outside) : accountExists();
  }
  const isNew = known === undefined || isOnTrust(known);
  if (isNew) {
    requireSignUp(parts);
    const made = await newUser(parts, claims, email, identity);
    const note = trailOf(parts, String(made.id), origin);
    return storage.transaction(async (stores) => {
      if (known !== undefined) await takeAddress(stores, email, ports.clock.now(), note);
      return insertAccount(stores, made);
    });
  }
  const notices = await noticesOf(parts, String(known.id), origin);
  const link = await storage.transaction(async (stores) => {
    const { resources } = stores;
    // The user is locked, so that nobody changes the address or makes another link in between.
    const [userId = ""] = await resources.hold(user, withAddress, 1);
    const account = await resources.find(user, userId, system, ["verified_email"]);
    if (account?.verified_email !== email) throw accountExists();
    const where = {
      all: [equals("user_id", userId), equals("issuer", issuer), equals("state", "linked"), equals("client_id", null)],
    };
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
  mail.noticesFor({ now: () => ports.clock.now(), request: { address } }, userId, ["outside account linked"]);

/** Two first uses at once end in a conflict for one of them, which then finds what the other made. */
const mostTries = 3;

/**
 * Finds the user to whom an outside account is linked. An unknown outside account is linked to the
 * account with its address, if both sides have verified the address. If there is no such account, or
 * it has the address on trust only, one is made. If several requests come at once, one of them makes
 * the link and all use it.
 * @throws AppError `account_exists`, `address_unverified`; `forbidden` also for a link that was
 *   ended.
 */
export const outsideAccount = async (
  parts: OutsideAccountParts,
  claims: OutsideClaims,
  origin: Origin,
): Promise<Link> => {
  const { storage } = parts.ports;
  const identity = await identityOf(parts.outside.issuer, claims.subject);
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
  for (let tries = 1; ; tries += 1) {
    const known = await find();
    if (known !== undefined) return known;
    try {
      return await makeLink(parts, claims, identity, origin);
    } catch (thrown) {
      if (!(thrown instanceof AppError) || (thrown.code !== "conflict" && thrown.code !== "account_exists"))
        throw thrown;
      // Another request of the same account may have been first.
      const linked = await find();
      if (linked !== undefined) return linked;
      if (thrown.code === "account_exists" || tries === mostTries) throw accountExists();
    }
  }
};

/**
 * Notes that the issuer has verified the address of an account that has it on trust. Returns without
 * a change for every other account.
 */
export const noteVerified = async (
  parts: OutsideAccountParts,
  account: Row,
  claims: OutsideClaims,
  origin: Origin,
): Promise<void> => {
  const email = addressOf(claims);
  if (!claims.emailVerified || email === undefined || email !== account.email || !isOnTrust(account)) return;
  const { ports } = parts;
  const id = String(account.id);
  const changes = { verified_email: email, updated_at: timestampOf(ports.clock.now()) };
  await ports.storage.transaction(async ({ resources, audit }) => {
    const result = await resources.update(user, { id, scope: { where: equals("email", email) } }, changes);
    if (result !== "done") return;
    const about = { action: "outside.verify-address", fields: ["verified_email"] };
    await trailOf(parts, id, origin)(audit, about);
  });
};
