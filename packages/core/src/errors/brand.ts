type Class = abstract new (...given: never[]) => object;

/**
 * Lets `instanceof` know the objects of a class by a mark that all copies of this package share. An
 * application that imports and requires it, or has two versions installed, has each class twice. A
 * `Permanent` of the second copy must still end a job. Subclasses are told apart as usual.
 */
export const brand = (kind: Class, name: string): void => {
  const mark = Symbol.for(`@postern/core ${name}`);
  const usual = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(kind.prototype, mark, { value: true });
  Object.defineProperty(kind, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      return this === kind ? typeof value === "object" && value !== null && mark in value : usual.call(this, value);
    },
  });
};
