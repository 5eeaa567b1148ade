import type { CommonPasswords } from "@postern/core";
import { AppError } from "@postern/core";
import { z } from "zod";

/** 8 to 128 characters of any kind, counted whole; no rules of composition (NIST SP 800-63B, section 3.1.1). */
export const passwordText = z
  .string()
  .refine((value) => [...value].length >= 8, { error: "at least 8 characters" })
  .refine((value) => [...value].length <= 128, { error: "at most 128 characters" })
  .refine((value) => !/[\0\p{Cs}]/u.test(value), { error: "no NUL characters and no lone surrogates" })
  .meta({ minLength: 8, maxLength: 128, writeOnly: true, description: "8 to 128 characters of any kind." });

/** A password as it is presented at sign-in: anything of bearable length, so that a wrong one is answered as wrong. */
export const presentedPassword = z.string().max(512).meta({ writeOnly: true });

/**
 * Refuses a password that guessers try first (NIST SP 800-63B, section 3.1.1.2). `member` is where it stands in the body.
 * @throws AppError `validation_failed`.
 */
export const refuseCommon = (common: CommonPasswords, password: string, member: string): void => {
  if (!common.includes(password)) return;
  const detail = "this is one of the passwords that are guessed first; take another";
  throw new AppError("validation_failed", {
    detail: `${member}: ${detail}.`,
    faults: [{ pointer: `/${member}`, code: "too_common", detail }],
  });
};
