import { misconfigured } from "../errors.ts";

/** The options of a verifier. A test compares them with `VerifierOptions`. */
export const optionNames: readonly string[] = [
  "keys",
  "allowShort",
  "toleranceSeconds",
  "now",
  "url",
  "maxBodyBytes",
  "settings",
  "schema",
  "dedupe",
  "fetch",
];

/**
 * A caller without types can misspell an option, and would get its default without a word.
 * @throws WebhookConfigError `setting_invalid`
 */
export const checkOptionNames = (options: object): void => {
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name));
  if (unknown !== undefined)
    misconfigured(
      "setting_invalid",
      `createVerifier has no option ${JSON.stringify(unknown)}. There are ${optionNames.join(", ")}.`,
    );
};
