export { AppError, type AppErrorOptions } from "./app-error.ts";
export { type ErrorCode, errorCatalogue } from "./catalogue.ts";
export type { Fault, FaultLocation } from "./fault.ts";
export { type Problem, problemOf, toAppError } from "./problem.ts";
