import { domainToASCII } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalAddress, emailAddress } from "../src/model/email-address.ts";
import { asciiDomain } from "../src/model/punycode.ts";

test.each([
  ["ada@example.com ", "ada@example.com"],
  ["\t Ada@Example.COM", "ada@example.com"],
  ["info@m\u00fcnchen.de", "info@xn--mnchen-3ya.de"],
  ["info@mu\u0308nchen.de", "info@xn--mnchen-3ya.de"],
  ["info@M\u00dcNCHEN.DE", "info@xn--mnchen-3ya.de"],
  ["info@xn--mnchen-3ya.de", "info@xn--mnchen-3ya.de"],
  ["a@\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444", "a@xn--e1afmkfd.xn--p1ai"],
  ["a&b@example.com", "a&b@example.com"],
  ["a=b@example.com", "a=b@example.com"],
  ["a/b@example.com", "a/b@example.com"],
  ["o'neil+tag@example.com", "o'neil+tag@example.com"],
])("the address %j is taken as %j", (text, canonical) => {
  expect(emailAddress.parse(text)).toBe(canonical);
  expect(emailAddress.parse(canonical)).toBe(canonical);
});

test.each([
  "",
  "ada",
  "@example.com",
  "ada@",
  "ada@example",
  "a b@example.com",
  "a..b@example.com",
  ".a@example.com",
  "j\u00f6rg@example.com",
  "\u7528\u6237@example.com",
  // The sign for kelvins is a letter that has an ASCII letter as its lower case.
  "\u212aelvin@example.com",
])("%j is no address", (text) => {
  expect(emailAddress.safeParse(text).success).toBe(false);
});

test("a domain gets the letters that the URL standard gives it", () => {
  const label = fc.stringMatching(/^[a-z\u00e0-\u00f6\u0430-\u044f\u4e00-\u4eff\u3042-\u3050]{1,12}$/u);
  fc.assert(
    fc.property(fc.array(label, { minLength: 2, maxLength: 4 }), (labels) => {
      const domain = labels.join(".");
      expect(asciiDomain(domain)).toBe(domainToASCII(domain));
    }),
  );
});

test("a long text costs no more than a short one", () => {
  const text = `a@${"\u4e00".repeat(1_000_000)}`;
  expect(canonicalAddress(text)).toBe(text);
});
