import { type App, user } from "@postern/app";
import { AppError, allRows, equals, type Storage } from "@postern/core";
import type { Principal } from "@postern/rest";
import type { ServerConfig } from "./config.ts";

/** The person who starts the server or uses its command line. */
export const operator: Principal = { kind: "operator", name: "server" };

/** Whether this server has an administrator. */
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

/**
 * Creates the first administrator from the configuration, if there is none. If two nodes start at
 * once, one creates it; the other finds the address taken and goes on.
 */
export const ensureFirstAdmin = async (
  app: App,
  storage: Storage,
  admin: ServerConfig["admin"],
): Promise<"exists" | "made" | "none"> => {
  if (await hasAdmin(storage)) return "exists";
  if (admin === undefined) return "none";
  try {
    await app.run({
      operation: "users.create",
      principal: operator,
      body: { name: "Administrator", email: admin.email, password: admin.password, role: "admin" },
    });
    return "made";
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === "conflict" && (await hasAdmin(storage))) return "exists";
    throw thrown;
  }
};
