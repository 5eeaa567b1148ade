import { type App, hasAdmin } from "@postern/app";
import { AppError, type Storage } from "@postern/core";
import type { Principal } from "@postern/rest";
import type { ServerConfig } from "./config.ts";

/** The person who starts the server or uses its command line. */
export const operator: Principal = { kind: "operator", name: "server" };

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
