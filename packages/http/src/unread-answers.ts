import { AppError } from "@postern/core";
import type { GatewayParts } from "./gateway-parts.ts";

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
export const checkUnread = ({ waiting, settings }: GatewayParts, network: string): void => {
  if (2 * waiting.heldBy(network) > settings.waitingLimitBytesPerAddress) throw tooMuchUnread();
};
