import type { JsonSchema } from "../json-schema/json-schema.ts";
import type { ApiVersion } from "../versions/api-versions.ts";
import { answerOf, bodyOf } from "../versions/conversion.ts";

const known = new WeakMap<ApiVersion, readonly JsonSchema[]>();

/** Every named schema of a version, as it describes it. */
export const describedParts = (version: ApiVersion): readonly JsonSchema[] => {
  const parts =
    known.get(version) ??
    version.operations.flatMap((operation) => {
      const conversion = version.conversion(operation);
      const described =
        conversion === undefined ? [answerOf(operation), bodyOf(operation)] : [conversion.answer, conversion.body];
      return described.flatMap((one) => Object.values(one?.components ?? {}));
    });
  known.set(version, parts);
  return parts;
};
