import { z } from "zod";

/** A calendar day: `2026-01-31`. */
export const day = z.iso.date();

/** The name of a version: `v1`. */
export const versionId = z
  .string()
  .max(8)
  .regex(/^v[1-9]\d*$/, { error: "a version like v1" });
