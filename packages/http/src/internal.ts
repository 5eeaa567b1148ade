/** For the packages of Postern alone. It changes with any version. */

export { checkFormHead, formLimitBytes, parseForm } from "./body/form-body.ts";
export { callerRequest } from "./head/caller-request.ts";
export { connectionOptionRules, httpOptionRules } from "./option-rules.ts";
