import type { OperationEffect } from "../version.ts";

/**
 * The newer version has a path at another place. Every operation on it has moved, and links to it
 * in answers follow.
 */
export const renameEndpoint = ({ from, to }: { readonly from: string; readonly to: string }): OperationEffect => {
  if (parametersOf(from) !== parametersOf(to)) {
    throw new TypeError(`the paths ${from} and ${to} must have the same parameters`);
  }
  return {
    on: "operations",
    down: (operation) => (operation.path === to ? { ...operation, path: from } : operation),
    path: { older: from, newer: to },
  };
};

const parametersOf = (path: string): string => [...path.matchAll(/\{\w+\}/g)].map(String).toSorted().join();
