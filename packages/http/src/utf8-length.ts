/** The length of a text in UTF-8. Node counts without encoding. */
export const utf8Length: (text: string) => number =
  typeof Buffer === "undefined" ? (text) => new TextEncoder().encode(text).length : (text) => Buffer.byteLength(text);
