/** For the packages of Postern alone, and for their tests. It changes with any version. */
export { usedDeprecations } from "./about/deprecated-uses-operation.ts";
export { auditTrail } from "./access/audit-trail.ts";
export { entriesOf } from "./changelog/change-log.ts";
export { differenceSteps } from "./changelog/openapi-difference.ts";
export { brokenPromises, deprecationShapeFaults } from "./deprecations/deprecation.ts";
export { parseIdempotencyKey } from "./idempotency/idempotency-key.ts";
export { checkerOf } from "./json-schema/json-schema.ts";
export { finish } from "./limits/steps.ts";
export { componentFaults } from "./openapi/component-faults.ts";
export { openApiSteps } from "./openapi/openapi.ts";
export { writtenOut } from "./openapi/shared-parts.ts";
export { htmlHeaders } from "./pages/html.ts";
export { parseEntityTags } from "./preconditions/preconditions.ts";
export { alwaysShown } from "./resources/write.ts";
export { createVersions } from "./versions/api-versions.ts";
export { conversionOf } from "./versions/conversion.ts";
export { operationEffects } from "./versions/effects.ts";
export { versionShapeFaults } from "./versions/version-faults.ts";
