/** Subject and text of a mail. */
interface Letter {
  readonly subject: string;
  readonly text: string;
}

const ending = (host: string): string => `\n-- \nSent by ${host}. You cannot answer this mail.\n`;

/** What the links and archives of mails are bounded by; see `letter-writer.ts` and `archiveMs`. */
const once = "The link works once, for 30 minutes.";
const fetchedFor = "24 hours";

/** Every mail about an account, with the host of its links. */
export const lettersOf = (host: string) => ({
  reset: (link: string): Letter => ({
    subject: `Set a new password for ${host}`,
    text: `Somebody asked for a new password for your account at ${host}. To set one, open this link:\n\n${link}\n\n${once}\nIf it was not you, do nothing: your password stays as it is.\n${ending(host)}`,
  }),
  verify: (link: string): Letter => ({
    subject: `Confirm your address for ${host}`,
    text: `An account at ${host} has this address. To confirm that it is yours, open this link:\n\n${link}\n\n${once}\nIf you have no account there, do nothing.\n${ending(host)}`,
  }),
  invite: (link: string, name: string): Letter => ({
    subject: `You are invited to ${host}`,
    text: `Hello ${name},\n\nan administrator has made an account for you at ${host}. To choose your password, open this link:\n\n${link}\n\n${once}\nAfter that, ask for a new password at ${host} with this address.\n${ending(host)}`,
  }),
  "sign-up": (link: string): Letter => ({
    subject: `Confirm your sign-up for ${host}`,
    text: `Somebody signed up at ${host} with this address. If it was you, open this link:\n\n${link}\n\n${once}\nIf it was not you, do nothing: no account is made.\n${ending(host)}`,
  }),
  address: (link: string): Letter => ({
    subject: `Confirm your new address for ${host}`,
    text: `An account at ${host} is to have this address. If it is yours, open this link:\n\n${link}\n\n${once}\nIf it is not yours, do nothing: nothing changes.\n${ending(host)}`,
  }),
  export: (): Letter => ({
    subject: `Your data at ${host} is ready`,
    text: `The archive of your data at ${host} that you asked for is ready. It can be fetched for ${fetchedFor}: sign in there to do so.\n\nIf you did not ask for it, set a new password at once, and end all sessions.\n${ending(host)}`,
  }),
  taken: (): Letter => ({
    subject: `You have an account at ${host}`,
    text: `Somebody wanted to use this address at ${host}, but it belongs to your account already. Nothing was changed.\n\nIf it was you, sign in, or ask for a new password.\n${ending(host)}`,
  }),
  notice: ({
    what,
    at,
    address,
    isLast,
  }: {
    readonly what: string;
    readonly at: string;
    readonly address: string;
    /** True if further changes of this kind are not mailed for half an hour. */
    readonly isLast: boolean;
  }): Letter => ({
    subject: `Your account at ${host} was changed`,
    text: `${what}\n\nWhen: ${at}\nFrom: ${address}\n\nIf it was not you, set a new password at once, and end all sessions.\n${isLast ? "\nThis happened so often that no further mail says so for up to 30 minutes.\n" : ""}${ending(host)}`,
  }),
});

/** The texts of notices about what happened to an account. */
export const happenings = {
  email: "The address of your account was changed. From now on, mails go to the new one.",
  password: "The password of your account was changed. All sessions have ended.",
  role: "Your role was changed.",
  "key made": "A new API key was made for your account.",
  "key replaced": "An API key of your account was replaced by a new one.",
  "key ended": "An API key of your account was ended.",
  export: "An archive of your data was asked for.",
  "outside account linked": "An account of another sign-in service now signs in to your account.",
  "outside account ended": "An account of another sign-in service no longer signs in to your account.",
  "outside account allowed":
    "The link of your account to an account of another sign-in service was removed. That account may be linked again.",
  "second factor on": "Signing in to your account now takes a code of your authenticator app.",
  "second factor off": "Signing in to your account no longer takes a code of your authenticator app.",
} as const;

export type Happening = keyof typeof happenings;
