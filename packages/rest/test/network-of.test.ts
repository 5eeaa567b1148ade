import { networkOf } from "@postern/rest";
import { expect, test } from "vitest";

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:0001:2::", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["1::3:4:5:192.0.2.7", "1:0:0:3::/64"],
  ["local", "local"],
])("%s is limited as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
