export { AppError, type AppErrorOptions, type Fault, type FaultLocation } from "./app-error.ts";
export { type ErrorCode, errorCatalogue } from "./catalogue.ts";
export { type Problem, problemOf, toAppError } from "./problem.ts";
