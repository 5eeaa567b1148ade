const encoded = /%([0-9a-f]{2})/gi;
const malformed = /%(?![0-9a-f]{2})/i;

/** Characters that mean the same with and without percent-encoding (RFC 3986, section 2.3). */
const unreserved = /[A-Za-z0-9._~-]/;

/**
 * A path with its unreserved characters as they are: `/api/%70osts` is `/api/posts` (RFC 3986,
 * section 6.2.2.2). It is read once, so `%2570` stays as it is, and so do reserved characters such
 * as `%2F`. A malformed path stays as it was sent. Everything that looks at a path, such as routes,
 * limits and the log, looks at this one.
 */
export const unencodedPath = (path: string): string =>
  !path.includes("%") || malformed.test(path)
    ? path
    : path.replaceAll(encoded, (whole, digits: string) => {
        const character = String.fromCharCode(Number.parseInt(digits, 16));
        return unreserved.test(character) ? character : whole;
      });
