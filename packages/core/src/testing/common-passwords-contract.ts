import assert from "node:assert/strict";
import type { CommonPasswords } from "../ports/common-passwords.ts";
import type { Contract } from "./contract.ts";

export const commonPasswordsContract: Contract<CommonPasswords> = {
  "knows what everybody takes, in any case": async (common) => {
    for (const password of ["password", "PassWord", "password1", "12345678", "QWERTYUIOP"]) {
      assert.equal(common.includes(password), true, password);
    }
  },
  "lets through what nobody takes": async (common) => {
    for (const password of ["correct horse battery", "constructor", "__proto__", "zk7#Qv!m2", ""]) {
      assert.equal(common.includes(password), false, password);
    }
  },
};
