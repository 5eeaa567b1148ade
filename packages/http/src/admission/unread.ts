import { AppError } from "@postern/core";
import { createLine, type Line } from "@postern/core/parts";
import type { HttpSettings } from "../options.ts";
import { clock } from "./clock.ts";

type Limits = Pick<HttpSettings, "waitingLimitBytes" | "waitingLimitBytesPerAddress">;

/** The bytes of large answers that wait for their readers. No answer waits for room among them. */
export const createUnread = ({ waitingLimitBytes, waitingLimitBytesPerAddress }: Limits): Line =>
  createLine({ most: waitingLimitBytes, mostOfKey: waitingLimitBytesPerAddress, refusal: tooMuchUnread }, clock);

/** The fault of a caller that asks for more while its answers wait to be read. */
export const tooMuchUnread = (): AppError =>
  new AppError("overloaded", {
    detail: "Too many answers wait to be read at the moment; read those you have asked for, then send it again.",
    headers: { "retry-after": "1" },
  });

/**
 * Refuses to make another answer for a network that leaves half of its share unread. To make the
 * answer would take several times its length in memory, and it would probably be refused at the
 * end.
 * @throws AppError `overloaded`.
 */
export const checkUnread = (unread: Line, network: string, { waitingLimitBytesPerAddress }: Limits): void => {
  if (2 * unread.heldBy(network) > waitingLimitBytesPerAddress) throw tooMuchUnread();
};
