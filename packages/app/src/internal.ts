/** For the packages of Postern alone. It changes with any version. */

export { type BuiltIn, createAppOf } from "./create-app.ts";
export { auditCheckOf, checkAuditLog, findingsOf } from "./operator/audit/check-audit-log.ts";
export { eraseOrigins } from "./operator/audit/erase-origins.ts";
export { pruneAuditLog, sealAuditLog } from "./operator/audit/seal-audit-log.ts";
export { verifyAuditLog } from "./operator/audit/verify-audit-log.ts";
export { createFeed, type Feed, type FeedNews, mostFeedReaders } from "./operator/feed/feed.ts";
export { leastFreeBytes } from "./operator/health/health.ts";
export { readHealth } from "./operator/health/read-health.ts";
export { presentTrace } from "./operator/present-trace.ts";
export { cause } from "./operator/wire/cause.ts";
export { counts } from "./operator/wire/counts.ts";
export { eventInFull, listedEvent, searchAnswer } from "./operator/wire/event.ts";
export { health } from "./operator/wire/health.ts";
export { jobInFull, namedJob } from "./operator/wire/job.ts";
export { newPlan, planInFull } from "./operator/wire/plan.ts";
export { refusal } from "./operator/wire/refusal.ts";
export { setting } from "./operator/wire/setting.ts";
export { verificationTrace } from "./operator/wire/trace.ts";
export { outsideIssuerRules } from "./outside/outside-issuer.ts";
