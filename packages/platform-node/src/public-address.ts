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

/**
 * The parts of 2000::/3 that are not plain public hosts: Teredo and other protocols, documentation,
 * 6to4 (which wraps IPv4).
 */
const specialV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"] as const;

/**
 * Addresses at which clouds answer their own machines, among other things with credentials: AWS,
 * Google Cloud, Azure, DigitalOcean and others (169.254.169.254, fd00:ec2::254, fd20:ce::254), AWS
 * containers (169.254.170.2), Azure's platform (168.63.129.16, which is a public address by its
 * number), Alibaba (100.100.100.200), Oracle (192.0.0.192).
 */
const metadataAddresses = [
  "169.254.169.254",
  "169.254.170.2",
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd20:ce::254",
] as const;

const mostBits = { ipv4: 32, ipv6: 128 } as const;

/** @throws TypeError for text that is neither an address nor a range such as `192.0.2.0/24`. */
const addTo = (list: BlockList, range: string): void => {
  const [network = "", bits, ...more] = range.split("/");
  const family = isIPv4(network) ? "ipv4" : "ipv6";
  const length = bits === undefined ? mostBits[family] : Number(bits);
  const isRange =
    (isIPv4(network) || (isIPv6(network) && !network.includes("%"))) &&
    more.length === 0 &&
    (bits === undefined || /^\d{1,3}$/.test(bits)) &&
    length <= mostBits[family];
  if (!isRange) throw new TypeError(`"${range}" is neither an IP address nor a range such as 192.0.2.0/24`);
  list.addSubnet(network, length, family);
};

const blockList = (ranges: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const range of ranges) addTo(list, range);
  return list;
};

const refusedV4 = blockList(specialV4);
const refusedV6 = blockList(specialV6);
const globalV6 = blockList(["2000::/3"]);
const metadata = blockList(metadataAddresses);

const isIn = (list: BlockList, address: string): boolean =>
  isIPv4(address) ? list.check(address, "ipv4") : isIPv6(address) && list.check(address.split("%", 1)[0] ?? "", "ipv6");

/**
 * Whether an IP address can be that of a public host. For IPv6 only global unicast addresses count.
 * Loopback, link-local, private, multicast, mapped-IPv4 and NAT64 addresses do not, nor does an
 * address with a zone. Never throws; false for a text that is not an address.
 */
export const isPublicAddress = (address: string): boolean => {
  if (isIPv4(address)) return !refusedV4.check(address, "ipv4") && !metadata.check(address, "ipv4");
  if (!isIPv6(address) || address.includes("%")) return false;
  return globalV6.check(address, "ipv6") && !refusedV6.check(address, "ipv6");
};

/**
 * Returns a function that tells whether an address lies in one of the ranges (`192.0.2.7`,
 * `192.0.2.0/24`, `2001:db8::/32`). An IPv4 address also counts in its mapped spelling. The
 * function never throws, and is false for a text that is not an address.
 * @throws TypeError for a text that is not a range.
 */
export const addressesIn = (ranges: readonly string[]): ((address: string) => boolean) => {
  const list = blockList(ranges);
  return (address) => isIn(list, address);
};

/**
 * Returns a function that tells whether an address must never be called, even if private ones may
 * be. These are the addresses of cloud metadata services, and the given addresses and ranges
 * (`192.0.2.7`, `192.0.2.0/24`, `2001:db8::/32`). An IPv4 address also counts in its mapped
 * spelling (`::ffff:192.0.2.7`).
 * @throws TypeError for a text that is not a range.
 */
export const blockedAddresses = (ranges: readonly string[] = []): ((address: string) => boolean) => {
  const own = blockList(ranges);
  return (address) => isIn(metadata, address) || isIn(own, address);
};
