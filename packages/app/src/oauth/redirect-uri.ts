/** Printable ASCII without blanks, quotes, brackets, a backslash, a fragment and a user name. */
const plain = "[!$%&'()*+,./0-9:;=?A-Z[\\]_a-z~-]";
const https = new RegExp(`^https://[a-z0-9.-]+(?::\\d{1,5})?(?:[/?]${plain}*)?$`);
/** Names of this machine. `localhost` is for apps that cannot say an address (RFC 8252, section 8.3). */
const loopbackHost = "(?:127\\.0\\.0\\.1|\\[::1\\]|localhost)";
const loopback = new RegExp(`^http://${loopbackHost}(?::\\d{1,5})?(?:[/?]${plain}*)?$`);
/** The scheme is a domain name turned around (RFC 8252, section 7.1). */
const privateUse = new RegExp(`^[a-z][a-z0-9-]*(?:\\.[a-z0-9-]+)+:/${plain}*$`);

/** Whether a client may be registered with this URI. */
export const isRedirectUri = (uri: string): boolean =>
  uri.length <= 2_000 && (https.test(uri) || loopback.test(uri) || privateUse.test(uri));

const withPort = new RegExp(`^(http://${loopbackHost}):\\d{1,5}(?=[/?]|$)`);

const withoutPort = (uri: string): string => uri.replace(withPort, "$1");

/**
 * Whether `uri` equals one of the registered URIs, character by character. A loopback address, or
 * `localhost`, that was registered without a port stands for all its ports, because an app listens
 * on whichever port is free (RFC 8252, section 7.3; RFC 9700, section 2.1). The two are not the same
 * URI.
 */
export const isRegistered = (registered: readonly string[], uri: string): boolean =>
  registered.includes(uri) || (loopback.test(uri) && registered.includes(withoutPort(uri)));

/** The URI with parameters added to its query. */
export const withParameters = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const added = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return `${uri}${uri.includes("?") ? "&" : "?"}${added.join("&")}`;
};
