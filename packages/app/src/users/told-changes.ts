import type { NewJob } from "@postern/core";
import type { ChangeListener } from "@postern/core/internal";
import {
  type AuditNote,
  type EngineCall,
  hasSignedInRecently,
  type Operation,
  type OperationAnswer,
  principalOf,
  signInTooOld,
} from "@postern/rest";
import { type AccountMail, enqueuing } from "../account/account-mail.ts";
import { isHeldOnTrust } from "../account/letter-writer.ts";
import { happenings } from "../account/mail-texts.ts";
import { isPlaceholder } from "../account/trusted-addresses.ts";
import { user } from "../resources/user.ts";
import type { Settings } from "../settings.ts";
import type { AccountParts } from "./password-reset-operations.ts";

interface ConfirmedParts extends AccountParts {
  readonly settings: Pick<Settings, "confirmAddresses">;
}

const toldFields = ["email", "role"] as const;

/** The address in a body, in its canonical form, if it differs from that of the account. */
const newAddress = (next: Readonly<Record<string, unknown>>, current: unknown): string | undefined => {
  const parsed = user.fields.email?.schema.safeParse(next.email);
  return parsed?.success === true && parsed.data !== current ? String(parsed.data) : undefined;
};

/**
 * Each change of an address sends a mail to an address of the caller's choice. Without a bound, one
 * account could fill the mailboxes of strangers in the server's name. @throws AppError
 * `rate_limited`
 */
const boundChanges = (call: EngineCall, userId: string): Promise<unknown> => call.limits.take("address-change", userId);

/** The answer if the new address must be confirmed first. It is the same for every address. */
const confirming = async (parts: ConfirmedParts, operation: Operation, call: EngineCall): Promise<OperationAnswer> => {
  const { mail, ports } = parts;
  let wanted: string | undefined;
  const kept: EngineCall = {
    ...call,
    applyTo: (current) => {
      const next = call.applyTo(current);
      wanted = newAddress(next, current.email);
      if (wanted === undefined) return next;
      if (!hasSignedInRecently(principalOf(call), call.now())) throw signInTooOld();
      return { ...next, email: current.email };
    },
  };
  const jobsFor = async ({ id = "" }: AuditNote): Promise<readonly NewJob[]> => {
    if (wanted === undefined) return [];
    await boundChanges(call, id);
    return mail.jobsFor({ about: "address", userId: id, email: wanted });
  };
  const asking = enqueuing(kept, ports, jobsFor);
  return operation.handle({
    ...asking,
    // This answer is also the one that is kept under an idempotency key.
    write: (about, work) =>
      asking.write(about, async (stores, own) => {
        const answer = await work(stores, own);
        return wanted === undefined ? answer : { status: 202 };
      }),
  });
};

/**
 * Tells of changes of users that requests have made, whichever operation made them: the address that the
 * account had before gets a notice, and a new address that is not verified gets a link. Who loses an
 * address that was on trust is not told: nobody has proved that it was theirs.
 */
export const toldChanges = (mail: () => Pick<AccountMail, "jobsFor">): ChangeListener => ({
  resource: user.name,
  jobsFor: async ({ rowId: userId, kind, changed, before, row, at }, _depth, { address }) => {
    if (kind !== "update" || address === undefined || isPlaceholder(String(row?.email))) return [];
    const happened = toldFields.filter((name) => changed.includes(name));
    if (happened.length === 0) return [];
    const what = happened.map((one) => happenings[one]).join("\n");
    const notices = await mail().jobsFor({ about: "notice", email: String(before?.email), what, at, address });
    const verifies = changed.includes("email") && row?.email !== row?.verified_email;
    return [...notices, ...(verifies ? await mail().jobsFor({ about: "verify", userId }) : [])];
  },
});

/**
 * Wraps the change of a user. With `confirmAddresses`, a request that changes the address is answered 202,
 * and the address stays until its owner opens the mailed link. So it is in any case for an address that
 * another account has on trust: who proves it by mail gets it.
 */
export const confirmedChange = (parts: ConfirmedParts, operation: Operation): Operation => {
  if (!operation.path.startsWith("/users/{id}") || !["PUT", "PATCH"].includes(operation.method)) return operation;
  return {
    ...operation,
    accepted:
      "Where the server confirms addresses, and for one that another account has on trust: the new address is changed as soon as its owner opens the mailed link.",
    handle: async (call) => {
      const { mail, ports, settings } = parts;
      const bounded: EngineCall = {
        ...call,
        write: async (about, work) => {
          if (about.fields?.includes("email")) await boundChanges(call, about.id ?? "");
          return call.write(about, work);
        },
      };
      const own = call.principal?.kind === "user" && call.principal.role !== "admin";
      const wanted = newAddress(Object(call.body), undefined);
      const isWaiting = async (): Promise<boolean> =>
        settings.confirmAddresses || (mail.active && wanted !== undefined && (await isHeldOnTrust(ports, wanted)));
      return own && (await isWaiting()) ? confirming(parts, operation, bounded) : operation.handle(bounded);
    },
  };
};
