import { AppError, allRows, equals, type Ports, type Storage } from "@postern/core";
import { issueToken, readToken, subjectDigest } from "../account/account-token.ts";
import { accountToken } from "../resources/account-token.ts";
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

const system = allRows("the first administrator");
const lifeMs = 30 * 60_000;
/** There is one link at a time. */
const subject = "the first administrator";

/**
 * A secret that makes the first administrator, once, within 30 minutes. Its digest is stored, so any
 * process on the database can make it and take it.
 */
export interface SetupLink {
  /**
   * Makes the secret. An earlier one ends.
   * @throws AppError `state_conflict` once there is an administrator.
   */
  offer(): Promise<string>;
  /** Whether there is no administrator yet. */
  isDue(): Promise<boolean>;
  /**
   * Uses the secret up, unless `work` throws.
   * @throws AppError `invalid_token` for a secret that is wrong, old or used, and once there is an
   *   administrator.
   */
  use<Result>(secret: string, work: () => Promise<Result>): Promise<Result>;
}

const refused = (): AppError =>
  new AppError("invalid_token", {
    detail: "This link is not valid, or no longer valid. `postern setup-link` prints a new one; or sign in.",
  });

type SetupPorts = Pick<Ports, "storage" | "secretBox" | "randomness" | "ids" | "clock">;

export const createSetupLink = (ports: SetupPorts): SetupLink => {
  const { storage } = ports;
  const { resources } = storage;
  /** An administrator stays, so nobody is looked for again. */
  let isOver = false;
  const isDue = async (): Promise<boolean> => {
    isOver ||= await hasAdmin(storage);
    return !isOver;
  };
  return {
    offer: async () => {
      if (await hasAdmin(storage)) {
        throw new AppError("state_conflict", { detail: "There is an administrator already, who can invite others." });
      }
      const earlier = equals("subject_digest", await subjectDigest(ports, "setup", subject));
      return storage.transaction(async (stores) => {
        await stores.resources.deleteWhere(accountToken, system, earlier);
        const token = { purpose: "setup", userId: null, subject, lifeMs, most: 1 } as const;
        const issued = await issueToken(ports, stores.resources, token);
        if (issued === undefined) throw new AppError("state_conflict", { detail: "Another link was made just now." });
        return issued.text;
      });
    },
    isDue,
    use: async (secret, work) => {
      const { id } = await readToken(ports, "setup", secret).catch((thrown: unknown) => {
        throw thrown instanceof AppError && thrown.code === "not_found" ? refused() : thrown;
      });
      const row = await resources.find(accountToken, id, system);
      // Two requests at once must not both use it.
      if (row === undefined || (await resources.delete(accountToken, id, system)) !== "done") throw refused();
      if (await hasAdmin(storage)) throw refused();
      try {
        return await work();
      } catch (thrown) {
        await resources.insert(accountToken, row);
        throw thrown;
      }
    },
  };
};
