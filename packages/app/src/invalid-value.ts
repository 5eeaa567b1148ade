import { AppError } from "@postern/core";

export const invalid = (member: string, detail: string): AppError =>
  new AppError("validation_failed", {
    detail: `${member}: ${detail}.`,
    faults: [{ pointer: `/${member}`, code: "invalid_value", detail }],
  });
