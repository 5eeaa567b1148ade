import { option } from "./declaration-faults.ts";

/** @throws TypeError if no length lies between the bounds. */
export const checkLengths = (kind: string, minLength: number, maxLength: number): void => {
  const isLength = (length: number): boolean => Number.isSafeInteger(length) && length >= 0;
  if (!isLength(maxLength) || maxLength === 0) {
    throw new TypeError(`${kind}(${maxLength}): the longest length must be a whole number above 0`);
  }
  if (!isLength(minLength) || minLength > maxLength) {
    throw new TypeError(
      `${kind}(${maxLength}): minLength must be a whole number from 0 to ${maxLength}, not ${minLength}`,
    );
  }
};

/** @throws TypeError if no number lies between the bounds. */
export const checkBounds = (kind: string, min: number, max: number): void => {
  if (!(min <= max)) throw new TypeError(`${kind}: min (${min}) must not be greater than max (${max})`);
};

/** @throws TypeError for values of a choice that are not words. */
export const checkWords = (kind: string, values: unknown): void => {
  if (Array.isArray(values) && values.length > 0 && values.every((value) => option.aText.is(value))) return;
  throw new TypeError(`${kind}: the first argument must be a list of texts, such as ["draft", "sent"]`);
};

/**
 * The options of a field. A caller without types can leave them out. Then the resource says which
 * are missing, because it knows the name of the field.
 */
export const orNone = <Options extends object>(options: Options): Options => Object(options);
