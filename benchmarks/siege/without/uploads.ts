import { createUploads as create, type Uploads } from "../../../packages/http/src/body/uploads.ts";

/** An upload may take as long as it likes. */
export const createUploads = (): Uploads => create(0, () => false);
