import type { VectorRequest } from "./vector.ts";

export const secret = "a secret that only the two know";
export const other = "another secret of the same kind";
export const keys = { keys: secret, otherKeys: other } as const;
export const url = "https://hooks.example.com/in/a%20b?source=a%20b&x=1";
export const body = '{"id":"evt_1","type":"thing.made","event":"thing.made","note":"ü \\u00fc"}';

/** Changes a part of a body. */
export const changed =
  (from: string, to: string) =>
  (request: VectorRequest): VectorRequest => {
    const text = String(request.body);
    if (!text.includes(from)) throw new TypeError(`the body has no ${from}`);
    return { ...request, body: text.replace(from, to) };
  };
