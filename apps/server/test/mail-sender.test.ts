import { expect, test } from "vitest";
import { senderOf } from "../src/mail.ts";

test.each([
  ["no-reply@mill.example", undefined, "no-reply@mill.example"],
  ["no-reply@mill.example", "Mill & Sons", '"Mill & Sons" <no-reply@mill.example>'],
  ["no-reply@mill.example", 'The "Mill" \\', '"The \\"Mill\\" \\\\" <no-reply@mill.example>'],
  ["Millers <no-reply@mill.example>", "Mill & Sons", "Millers <no-reply@mill.example>"],
])("mails come from %j with the title %j as %j", (from, title, sender) => {
  expect(senderOf(from, title)).toBe(sender);
});
