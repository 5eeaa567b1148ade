/**
 * The `ETag` of an answer. Send it as `If-Match` with the write that follows.
 * @throws TypeError for an answer without one.
 */
export const etagOf = ({ response }: { readonly response: Response }): string => {
  const tag = response.headers.get("etag");
  if (tag === null) throw new TypeError(`the answer of ${response.url} has no ETag`);
  return tag;
};
