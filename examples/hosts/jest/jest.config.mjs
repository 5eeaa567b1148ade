/** The tests are modules of Node, which need no translation. */
export default { testMatch: ["**/*.test.mjs"], transform: {} };
