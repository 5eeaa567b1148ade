import { AppError, allRows, type Ports } from "@postern/core";
import { challenge, type EngineCall, hasSignedInRecently, principalOf, signInTooOld } from "@postern/rest";
import { user } from "../resources/user.ts";
import { hashingFor } from "./hashing-for.ts";
import { hashIn, presentedPassword } from "./password.ts";
import { aboutUser, takeTry } from "./sessions.ts";

const system = allRows("sign-in");

/** The member of a body that replaces a recent sign-in. */
export const currentPassword = presentedPassword.optional().meta({
  writeOnly: true,
  description: "Your password, unless you signed in within the last five minutes.",
});

/**
 * Makes sure that the caller is present in person: they signed in recently, or send their password
 * now.
 * @throws AppError `sign_in_too_old` if neither is true; `invalid_credentials` for a wrong
 * password; `rate_limited`.
 */
export const requirePresence = async (
  ports: Pick<Ports, "storage" | "passwordHasher" | "secretBox" | "alerts">,
  call: EngineCall,
  password: string | undefined,
): Promise<void> => {
  const principal = principalOf(call);
  if (hasSignedInRecently(principal, call.now())) return;
  if (password === undefined || principal.kind !== "user") throw signInTooOld();
  const { userId } = principal;
  const account = await ports.storage.resources.find(user, userId, system, ["password"]);
  const tried = await takeTry({ ports }, call, userId, async () => aboutUser(userId));
  if (
    account !== undefined &&
    (await ports.passwordHasher.verify(password, hashIn(account.password), hashingFor(call)))
  ) {
    await tried.giveBack();
    return;
  }
  await call.note(ports.storage.audit, { resource: user.name, id: userId, result: "invalid_credentials" });
  throw new AppError("invalid_credentials", { detail: "The current password is wrong.", headers: challenge() });
};
