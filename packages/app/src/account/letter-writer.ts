import { allRows, equals, type Ports, type Row } from "@postern/core";
import { bareProduct } from "@postern/rest/internal";
import { user } from "../resources/user.ts";
import type { SettingsInForce } from "../settings.ts";
import type { AccountMessage } from "./account-message.ts";
import { type IssuedToken, issueToken, type NewToken } from "./account-token.ts";
import { lettersOf } from "./mail-texts.ts";
import { isOnTrust, isPlaceholder, trustFields } from "./trusted-addresses.ts";

const system = allRows("account mail");

export type MailPorts = Pick<
  Ports,
  "storage" | "secretBox" | "randomness" | "ids" | "clock" | "mailer" | "wakeup" | "telemetry"
>;

/** A message about something that waits for a confirmation. */
type WaitingMessage = Extract<AccountMessage, { about: "sign-up" | "address" }>;

type Notice = Extract<AccountMessage, { about: "notice" }>;

/** How long a notice counts. The text of the last one says it, too. */
const noticeMs = 30 * 60_000;
/** Notices of one kind of change that are mailed to one address in this time. */
const mostNotices = 20;
/**
 * How long a mailed link works, which the mail says, and how many of one kind are valid at once for
 * one address: a mail may be late, and strangers can have them sent.
 */
const bounds = { lifeMs: 30 * 60_000, most: 5 };

/** A mail that is ready to be sent. */
interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The token whose link it holds, or that counts it. */
  readonly token?: IssuedToken;
}

/** The fields of a user that mails need; `undefined` if there is no such user. */
export const accountWith = async (
  { storage }: Pick<MailPorts, "storage">,
  field: "id" | "email",
  value: string,
): Promise<Row | undefined> => {
  const order = [{ field: "id", direction: "asc" }] as const;
  const fields = ["id", "name", ...trustFields];
  const where = equals(field, value);
  const [found] = await storage.resources.list(user, { scope: system, where, order, limit: 1, fields });
  return found;
};

/** Whether an account has this address only because an outside issuer named it. */
export const isHeldOnTrust = async (ports: Pick<MailPorts, "storage">, email: string): Promise<boolean> => {
  const holder = await accountWith(ports, "email", email);
  return holder !== undefined && isOnTrust(holder);
};

/** What mails call this server: its product, and without one the host of its links. */
const nameIn = ({ product }: Pick<SettingsInForce, "product">, page: string): string =>
  product === bareProduct ? (/^https?:\/\/([^/]+)/.exec(page)?.[1] ?? product.title) : product.title;

/**
 * Returns a function that writes the mail for a message, with its token. It returns `undefined` if
 * there is nothing to send: the account is gone, its address is verified already, nobody can have the
 * address, a link that gives access would go to an address on trust, or the address has the greatest
 * number of valid links or of notices. `accountPage` is the URL that links lead to.
 */
export const letterWriter = (
  ports: MailPorts,
  settings: Pick<SettingsInForce, "accountPage" | "product">,
): ((message: AccountMessage) => Promise<Letter | undefined>) => {
  const { storage } = ports;
  const page = settings.accountPage ?? "";
  const letters = lettersOf(nameIn(settings, page));

  /** A mail with a link; `undefined` while the address has the greatest number of valid links. */
  const linked = async (
    token: Omit<NewToken, "lifeMs" | "most">,
    to: string,
    write: (link: string) => Pick<Letter, "subject" | "text">,
  ): Promise<Letter | undefined> => {
    const issued = await issueToken(ports, storage.resources, { ...token, ...bounds });
    if (issued === undefined) return undefined;
    return { to, ...write(`${page}#${token.purpose}=${issued.text}`), token: issued };
  };

  /**
   * Asks for a confirmation if the address has no account; otherwise tells the owner of the
   * account.
   */
  const confirmation = async (message: WaitingMessage): Promise<Letter | undefined> => {
    const { about: purpose, email: to } = message;
    const holder = await accountWith(ports, "email", to);
    // Who has an address on trust loses it to the one who opens the link.
    if (holder !== undefined && !isOnTrust(holder)) {
      // This mail counts as a link. Otherwise strangers could send the owner any number of mails.
      const token = await issueToken(ports, storage.resources, { purpose, userId: null, subject: to, ...bounds });
      return token && { to, ...letters.taken(), token };
    }
    const [userId, content] = message.about === "address" ? [message.userId, to] : [null, message.content];
    return linked({ purpose, userId, subject: to, content }, to, letters[purpose]);
  };

  /**
   * A notice. Each kind of change is counted by itself, so that nobody can hide a new password
   * behind many new keys. An address that its owner never confirmed may be a stranger's, so it gets
   * fewer.
   */
  const notice = async (message: Notice): Promise<Letter | undefined> => {
    const { email: to, what } = message;
    if (isPlaceholder(to)) return undefined;
    const [kind] = what.split("\n", 1);
    const isConfirmed = (await accountWith(ports, "email", to))?.verified_email === to;
    const token = await issueToken(ports, storage.resources, {
      purpose: "notice",
      userId: null,
      subject: `${to} ${kind}`,
      lifeMs: noticeMs,
      most: isConfirmed ? mostNotices : bounds.most,
    });
    return token && { to, ...letters.notice({ ...message, isLast: token.isLast }), token };
  };

  return async (message) => {
    if (message.about === "notice") return notice(message);
    if (message.about === "sign-up" || message.about === "address") return confirmation(message);
    const account =
      message.about === "reset"
        ? await accountWith(ports, "email", message.email)
        : await accountWith(ports, "id", message.userId);
    if (account === undefined) return undefined;
    const to = String(account.email);
    if (isPlaceholder(to) || (isOnTrust(account) && message.about !== "verify" && message.about !== "export")) {
      return undefined;
    }
    if (message.about === "export") return { to, ...letters.export() };
    if (message.about === "verify" && account.verified_email === to) return undefined;
    const token = { purpose: message.about, userId: String(account.id), subject: to };
    const write = {
      reset: letters.reset,
      verify: letters.verify,
      invite: (link: string) => letters.invite(link, String(account.name)),
    }[message.about];
    return linked(token, to, write);
  };
};
