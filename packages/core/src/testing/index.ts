export type * from "./contract.ts";
export { eventStoreContract } from "./event-store-contract.ts";
export { newEvent } from "./inbox-events.ts";
export { jobStoreContract } from "./job-store-contract.ts";
export { resourceRepositoryContract } from "./resource-repository-contract.ts";
export { commentRow, idNumber, postRow, userRow } from "./rows.ts";
export * from "./small-ports.ts";
export { unitOfWorkContract } from "./unit-of-work-contract.ts";
