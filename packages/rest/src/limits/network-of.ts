/** The first half of an IPv6 address; its holder can choose the other half. */
const networkGroups = 4;

/**
 * The address that a limit counts: an IPv4 address itself, and of an IPv6 address its /64, because
 * a subscriber gets all 2^64 addresses of it (RFC 6177, section 2). A text that is not an address
 * stays as it is.
 */
export const networkOf = (address: string): string => {
  if (!address.includes(":")) return address;
  const [text = ""] = address.split("%", 1);
  const [head = [], tail = []] = text.split("::").map((part) => (part === "" ? [] : part.split(":")));
  // An IPv4 address at the end takes the place of two groups.
  const written = head.length + tail.length + (text.includes(".") ? 1 : 0);
  const groups = [...head, ...Array.from({ length: Math.max(0, 8 - written) }, () => "0"), ...tail];
  const network = groups.slice(0, networkGroups).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
};
