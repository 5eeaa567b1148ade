import { AppError, allRows, equals, type Ports, type Storage } from "@postern/core";
import { z } from "zod";
import { user } from "../resources/user.ts";

/** Whether an application has an administrator. */
export const hasAdmin = async ({ resources }: Storage): Promise<boolean> => {
  const admins = await resources.list(user, {
    scope: allRows("looking for an administrator"),
    where: equals("role", "admin"),
    order: [{ field: "id", direction: "asc" }],
    limit: 1,
    fields: ["id"],
  });
  return admins.length > 0;
};

const lifeMs = 30 * 60_000;

/** A secret that makes the first administrator, once, within 30 minutes. Only this process knows it. */
export interface SetupLink {
  /** Makes the secret. An earlier one ends. */
  offer(): Promise<string>;
  /** Whether a secret can still be used. */
  isOpen(): boolean;
  /**
   * Uses the secret up, unless `work` throws.
   * @throws AppError `invalid_token` for a secret that is wrong, old or used, and once there is an
   *   administrator.
   */
  use<Result>(secret: string, work: () => Promise<Result>): Promise<Result>;
}

const refused = (): AppError =>
  new AppError("invalid_token", {
    detail: "This link is not valid, or no longer valid. Start the server again for a new one, or sign in.",
  });

export const createSetupLink = ({
  storage,
  secretBox,
  randomness,
  clock,
}: Pick<Ports, "storage" | "secretBox" | "randomness" | "clock">): SetupLink => {
  let open: { readonly digest: string; readonly until: number } | undefined;
  return {
    offer: async () => {
      const secret = z.util.uint8ArrayToHex(randomness.bytes(32));
      open = { digest: await secretBox.digest(secret), until: clock.now() + lifeMs };
      return secret;
    },
    isOpen: () => open !== undefined && open.until > clock.now(),
    use: async (secret, work) => {
      const digest = await secretBox.digest(secret);
      const found = open;
      if (found === undefined || found.digest !== digest || found.until <= clock.now()) throw refused();
      // Two requests at once must not both use it.
      open = undefined;
      try {
        if (await hasAdmin(storage)) throw refused();
        return await work();
      } catch (thrown) {
        const isSpent = thrown instanceof AppError && thrown.code === "invalid_token";
        if (!isSpent) open ??= found;
        throw thrown;
      }
    },
  };
};
