/** For the packages of Postern alone. It changes with any version. */

export { auditCheckOf, checkAuditLog, findingsOf } from "./operator/audit/check-audit-log.ts";
export { eraseOrigins } from "./operator/audit/erase-origins.ts";
export { pruneAuditLog, sealAuditLog } from "./operator/audit/seal-audit-log.ts";
export { verifyAuditLog } from "./operator/audit/verify-audit-log.ts";
export { createFeed, type Feed, type FeedNews, mostFeedReaders } from "./operator/feed/feed.ts";
export { leastFreeBytes } from "./operator/health/health.ts";
export { readHealth } from "./operator/health/read-health.ts";
export { outsideIssuerRules } from "./outside/outside-issuer.ts";
