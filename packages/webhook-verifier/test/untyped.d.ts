// Packages that come without types; what the tests use of them is written down here.
declare module "koa" {
  import type { RequestListener } from "node:http";

  class Koa {
    use(middleware: unknown): void;
    callback(): RequestListener;
  }
  export = Koa;
}

declare module "express" {
  import type { RequestListener } from "node:http";

  interface Application extends RequestListener {
    use(middleware: unknown): Application;
    post(path: string, handler: unknown): Application;
  }
  const express: {
    (): Application;
    raw(options: object): unknown;
    json(): unknown;
  };
  export = express;
}

declare module "sns-validator" {
  class MessageValidator {
    validate(message: string, done: (error: Error | null, message?: object) => void): void;
  }
  export = MessageValidator;
}
