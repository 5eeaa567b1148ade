import { rejectsWith } from "@postern/core/testing";
import nock from "nock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blockedAddresses, isPublicAddress, nodeFetcher } from "../src/index.ts";

const refused = [
  "0.0.0.0",
  "10.0.0.1",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "fd00:ec2::254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.8",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "3fff::1",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "fe80::1%eth0",
  "2606:4700::1111%eth0",
  "fec0::1",
  "ff02::1",
];
const reached = [
  "1.1.1.1",
  "8.8.8.8",
  "93.184.215.14",
  "172.15.255.255",
  "172.32.0.1",
  "100.128.0.1",
  "2606:4700::1111",
  "2a00:1450::1",
];

describe("isPublicAddress", () => {
  test.each(refused)("is false for %s", (address) => expect(isPublicAddress(address)).toBe(false));
  test.each(reached)("is true for %s", (address) => expect(isPublicAddress(address)).toBe(true));
  test.each(["", "localhost", "1.1.1", "1.1.1.1 ", "::g"])("is false for %j, which is no address", (text) =>
    expect(isPublicAddress(text)).toBe(false),
  );
});

describe("blockedAddresses", () => {
  const isBlocked = blockedAddresses(["192.0.2.7", "10.1.0.0/16", "2a00:1450::/32"]);
  test.each(["192.0.2.7", "::ffff:192.0.2.7", "10.1.255.1", "2a00:1450::1", "169.254.169.254", "fd00:ec2::254"])(
    "holds %s",
    (address) => expect(isBlocked(address)).toBe(true),
  );
  test.each(["192.0.2.8", "10.2.0.1", "2a00:1451::1", "168.63.129.17", "no address"])("does not hold %s", (address) =>
    expect(isBlocked(address)).toBe(false),
  );
  test.each(["", "10.1.0.0/33", "10.1.0.0/8/8", "::/129", "10.1.0.0/-1", "10.1.0.0/", "example.com", "fe80::1%eth0"])(
    "refuses %j, which is no range",
    (range) => expect(() => blockedAddresses([range])).toThrow("is neither an IP address nor a range"),
  );
});

describe("nodeFetcher refuses, before anything is sent,", () => {
  // If a request got past the check, nock would report it as unexpected.
  beforeAll(() => nock.disableNetConnect());
  afterAll(() => {
    nock.enableNetConnect();
    nock.restore();
  });

  const spellings = [
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "127.0.0.1.",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:0:0:1]",
  ];
  const literals = refused.filter((address) => !address.includes("%"));
  test.each([...spellings, ...literals.map((address) => (address.includes(":") ? `[${address}]` : address))])(
    "http://%s/",
    async (host) => {
      const error = await rejectsWith("upstream_unreachable", () =>
        nodeFetcher().fetch({ url: `http://${host}/`, method: "GET", timeoutMs: 5_000 }),
      );
      expect(error.message).toContain("is not a public address");
    },
  );

  const always = ["168.63.129.16", "100.100.100.200", "192.0.0.192", "[fd00:ec2::254]", "169.254.169.254", "10.1.2.3"];
  test.each(always)("http://%s/, even where private addresses are allowed", async (host) => {
    const fetcher = nodeFetcher({ blockAddresses: ["10.1.0.0/16"] });
    const error = await rejectsWith("upstream_unreachable", () =>
      fetcher.fetch({ url: `http://${host}/`, method: "GET", timeoutMs: 5_000, allowPrivate: true }),
    );
    expect(error.message).toContain("must not be called");
  });
});
