import { textOf } from "#platform";
import { jsonText } from "./json.ts";

/**
 * Makes the `parse` of a sender whose ids are numbers that are too long for a double. Members with
 * this name become texts, so that they stay exact. Inside a text the name cannot match, because
 * JSON writes quotes there with a backslash.
 */
export const parseLongIds = (name: string): ((body: Uint8Array) => unknown) => {
  const long = new RegExp(`("${name}"\\s*:\\s*)(\\d{16,20})(?=\\s*[,}])`, "g");
  return (body) => jsonText((textOf(body) ?? "").replace(long, '$1"$2"'));
};
