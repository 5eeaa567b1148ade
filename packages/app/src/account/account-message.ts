import type { Ports } from "@postern/core";
import { z } from "zod";

const text = z.string();

/**
 * The subject of a mail about an account. The job that sends the mail finds out the rest (ADR 27).
 */
const accountMessage = z.discriminatedUnion("about", [
  /** A caller typed this address. It may or may not have an account. */
  z.object({ about: z.literal("reset"), email: text }),
  z.object({ about: z.literal("verify"), userId: text }),
  z.object({ about: z.literal("invite"), userId: text }),
  /** A sign-up that waits: the row that it becomes, with the hash of the password. */
  z.object({ about: z.literal("sign-up"), email: text, content: text }),
  /** The address that an account wants to have. */
  z.object({ about: z.literal("address"), userId: text, email: text }),
  /** The archive of a user's data can be fetched. */
  z.object({ about: z.literal("export"), userId: text }),
  /** A notice of what happened to an account, for the address that the account had before. */
  z.object({ about: z.literal("notice"), email: text, what: text, at: text, address: text }),
]);

export type AccountMessage = z.infer<typeof accountMessage>;

const context = "account-mail";

/** The payload of a job. It is encrypted because it contains addresses. */
export const sealMessage = async (
  { secretBox }: Pick<Ports, "secretBox">,
  message: AccountMessage,
): Promise<{ readonly sealed: string }> => ({ sealed: await secretBox.seal(JSON.stringify(message), context) });

/** @throws Error for a payload that this server did not make. */
export const openMessage = async (
  { secretBox }: Pick<Ports, "secretBox">,
  { sealed }: { readonly sealed: string },
): Promise<AccountMessage> => accountMessage.parse(JSON.parse(await secretBox.open(sealed, context)));
