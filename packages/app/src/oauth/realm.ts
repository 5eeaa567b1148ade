import type { Answer } from "@postern/core";
import type { ProductInForce } from "@postern/rest/internal";

/** The answer with the product's realm in its challenge, if it has one (RFC 9110, section 11.5). */
export const withRealm = (answer: Answer, { realm }: Pick<ProductInForce, "realm">): Answer => {
  const asked = answer.headers?.["www-authenticate"];
  if (asked === undefined) return answer;
  return {
    ...answer,
    headers: { ...answer.headers, "www-authenticate": asked.replace('realm="postern"', `realm="${realm}"`) },
  };
};
