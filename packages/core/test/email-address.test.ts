import { domainToASCII } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalAddress, emailAddress } from "../src/model/email-address.ts";

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

test.each([
  // A soft hyphen, a zero-width space and a full-width letter are not seen, or look like another one.
  ["u@ex\u00adample.com", "u@example.com"],
  ["u@exam\u200bple.com", "u@example.com"],
  ["u@\uff45xample.com", "u@example.com"],
  ["u@example\u3002com", "u@example.com"],
  ["u@\u212aelvin.com", "u@kelvin.com"],
  ["u@stra\u00dfe.de", "u@xn--strae-oqa.de"],
])("the domain of %j is the one that a browser would go to: %j", (text, canonical) => {
  expect(emailAddress.parse(text)).toBe(canonical);
});

test.each([
  "a/b.com",
  "a\\b.com",
  "ex.com:80",
  "a%41.com",
  "ex.com#x.com",
  "ex.com?x.com",
  "[::1]",
  "1",
  "0x7f.1",
  "127.0.0.1",
  "\uff11\uff12\uff17.0.0.1",
  "a\uff0fb.com",
  "a\uff20b.com",
  "xn--a.com",
  "a..com",
  "\ud800.com",
])("%j is no domain of an address", (domain) => {
  expect(emailAddress.safeParse(`u@${domain}`).success).toBe(false);
  expect(canonicalAddress(`u@${domain}`)).toBe(`u@${domain}`);
});

test("a domain gets the letters that the URL standard gives it", () => {
  const label = fc.stringMatching(/^[a-z\u00e0-\u00f6\u0430-\u044f\u4e00-\u4eff\u3042-\u3050]{1,12}$/u);
  fc.assert(
    fc.property(fc.array(label, { minLength: 2, maxLength: 4 }), (labels) => {
      const domain = labels.join(".");
      expect(canonicalAddress(`a@${domain}`)).toBe(`a@${domainToASCII(domain)}`);
    }),
  );
});

test("a long text costs no more than a short one", () => {
  const text = `a@${"\u4e00".repeat(1_000_000)}`;
  expect(canonicalAddress(text)).toBe(text);
});
