import assert from "node:assert/strict";
import type { PasswordHasher } from "../ports/password-hasher.ts";
import type { Contract } from "./contract.ts";

const password = "correct horse battery staple";

export const passwordHasherContract: Contract<PasswordHasher> = {
  "knows the password it hashed, and no other": async (hasher) => {
    const hash = await hasher.hash(password);
    assert.equal(await hasher.verify(password, hash), true);
    for (const other of ["", " ", `${password} `, password.slice(1), password.toUpperCase(), hash]) {
      assert.equal(await hasher.verify(other, hash), false);
    }
  },
  "keeps the password out of the hash, and the hash within 255 printable characters": async (hasher) => {
    const hash = await hasher.hash(password);
    assert.ok(!hash.includes(password));
    assert.match(hash, /^[!-~]{1,255}$/);
  },
  "hashes the same password differently each time": async (hasher) => {
    assert.notEqual(await hasher.hash(password), await hasher.hash(password));
  },
  "counts every character of a long password": async (hasher) => {
    const long = "p".repeat(512);
    const hash = await hasher.hash(`${long}x`);
    assert.equal(await hasher.verify(`${long}x`, hash), true);
    assert.equal(await hasher.verify(`${long}y`, hash), false);
    assert.equal(await hasher.verify(long, hash), false);
  },
  "takes the spellings of one character for the same": async (hasher) => {
    const hash = await hasher.hash("pass\u00e9 compos\u00e9");
    assert.equal(await hasher.verify("passe\u0301 compose\u0301", hash), true);
  },
  "knows nobody when there is no account": async (hasher) => {
    for (const any of ["", password]) assert.equal(await hasher.verify(any, undefined), false);
  },
  "answers false to a hash it cannot read": async (hasher) => {
    for (const broken of ["", "!", "plain", password, "$argon2id$v=19$", "$2b$10$abc"]) {
      assert.equal(await hasher.verify(password, broken), false);
    }
  },
  "answers each of several networks with its own result": async (hasher) => {
    const networks = ["", "127.0.0.2", "2001:db8::/64", "\u2603".repeat(100)];
    const hashes = await Promise.all(networks.map((network) => hasher.hash(`${password}${network}`, { network })));
    for (const [index, network] of networks.entries()) {
      const answers = await Promise.all(
        hashes.map((hash) => hasher.verify(`${password}${network}`, hash, { network })),
      );
      assert.deepEqual(
        answers,
        networks.map((_, other) => other === index),
      );
      assert.equal(await hasher.verify(password, undefined, { network }), false);
    }
  },
  "finds its own hashes up to date and others not": async (hasher) => {
    assert.equal(hasher.isOutdated(await hasher.hash(password)), false);
    for (const other of ["", "!", "$2b$10$abc"]) assert.equal(hasher.isOutdated(other), true);
  },
};
