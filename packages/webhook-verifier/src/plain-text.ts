import { textOf } from "#platform";
import type { Encoding } from "./encoding.ts";
import { utf8 } from "./runtime.ts";

/** Leaves the text as it is: the header shows the secret itself. */
export const plainText: Encoding = { name: "text", decode: utf8, encode: (bytes) => textOf(bytes) ?? "" };
