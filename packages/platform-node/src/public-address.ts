import { BlockList, isIPv4, isIPv6 } from "node:net";

/** IANA IPv4 Special-Purpose Address Registry (RFC 6890) and multicast. */
const specialV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
] as const;

/** The parts of 2000::/3 that are not plain public hosts: Teredo and other protocols, documentation, 6to4 (which wraps IPv4). */
const specialV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"] as const;

const blockList = (family: "ipv4" | "ipv6", ranges: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", bits] = range.split("/");
    list.addSubnet(network, Number(bits), family);
  }
  return list;
};

const refusedV4 = blockList("ipv4", specialV4);
const refusedV6 = blockList("ipv6", specialV6);
const globalV6 = blockList("ipv6", ["2000::/3"]);

/**
 * Whether an IP address is one of a public host. Of IPv6 only global unicast counts, so loopback, link-local, private, multicast,
 * mapped-IPv4 and NAT64 addresses are none, nor is one with a zone. Never throws; false for what is no address.
 */
export const isPublicAddress = (address: string): boolean => {
  if (isIPv4(address)) return !refusedV4.check(address, "ipv4");
  if (!isIPv6(address) || address.includes("%")) return false;
  return globalV6.check(address, "ipv6") && !refusedV6.check(address, "ipv6");
};
