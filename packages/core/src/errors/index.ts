export { AppError } from "./app-error.ts";
export type { ErrorCode } from "./catalogue.ts";
