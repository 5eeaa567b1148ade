import type { Operation } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import { type ShownSetting, setting } from "./wire/setting.ts";

/** The operation that shows the settings of the process that answers. */
export const settingOperation = (settings: () => readonly ShownSetting[]): Operation =>
  adminOperation({
    id: "admin.settings",
    method: "GET",
    path: "/admin/settings",
    summary: "List the settings in effect, each with what sets it; secrets are not shown",
    success: {
      status: 200,
      description: "The settings of this process; none where the server is opened by code of the application.",
      body: z.object({ data: z.array(setting) }),
    },
    handle: async () => ({ status: 200, body: { data: settings() } }),
  });
