import { signUp as signUpBy } from "../../src/testing/app-under-test.ts";

export { bearer, json, makeApp, webhook } from "../../src/testing/app-under-test.ts";
export { expectProblem } from "../../src/testing/problem.ts";

/** Signs a user up and in at a server. */
export const signUp = (url: string, name?: string): Promise<{ id: string; token: string }> =>
  signUpBy({ fetch }, url, name);
