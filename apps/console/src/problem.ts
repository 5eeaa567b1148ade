import { signal } from "@preact/signals";

/** One thing that was wrong with a request, and its place in the body. */
export interface Wrong {
  readonly pointer?: string;
  readonly detail?: string;
}

/** An answer of the server that is a problem. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly wrong: readonly Wrong[];
  constructor(status: number, code: string, detail: string, wrong: readonly Wrong[] = []) {
    super(detail);
    this.status = status;
    this.code = code;
    this.wrong = wrong;
  }
}

/** What stands in an answer that is a problem. */
interface Told {
  readonly code?: string;
  readonly detail?: string;
  readonly title?: string;
  readonly errors?: readonly Wrong[];
}

/** The problem that an answer tells of. */
export const problemOf = (status: number, told: Told | undefined): Problem => {
  const wrong = told?.errors ?? [];
  // Of one fault alone, the detail says it all.
  const each = wrong.length < 2 ? [] : wrong.map(({ detail, pointer }) => `${pointer ?? ""} ${detail ?? ""}`.trim());
  const said = told?.detail ?? told?.title ?? `The server answered ${status}.`;
  return new Problem(status, told?.code ?? "", [said, ...each].join(" "), wrong);
};

/** When the server last answered, in milliseconds, while it does not answer; `undefined` while it does. */
export const awaySince = signal<number | undefined>(undefined);
let lastAnswer = Date.now();

/** What a proxy answers when the server behind it is away. */
const gatewayFaults: readonly number[] = [502, 503, 504];

/** Sends a request. @throws Error in words for a person if no answer comes. */
export const request = async (url: string, given: RequestInit): Promise<Response> => {
  try {
    const response = await fetch(url, given);
    const isAway = gatewayFaults.includes(response.status);
    if (!isAway) lastAnswer = Date.now();
    awaySince.value = isAway ? (awaySince.value ?? lastAnswer) : undefined;
    return response;
  } catch (thrown) {
    // A page that is left aborts what it has asked for; that is no TypeError.
    if (!(thrown instanceof TypeError)) throw thrown;
    awaySince.value ??= lastAnswer;
    throw new Error("The server does not answer.");
  }
};

/**
 * The JSON of an answer; `undefined` if it has none.
 * @throws Problem for anything else, such as the page of a proxy.
 */
export const bodyOf = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    throw new Problem(response.status, "", `The server answered ${response.status}, not as Postern does.`);
  }
};
