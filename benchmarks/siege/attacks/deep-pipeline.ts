import type { Attack } from "../attack.ts";
import { rawRequest } from "../raw-request.ts";

const requests = 3_000;

/**
 * More requests on one connection than it may carry. The first one that is refused must be refused
 * like every other one.
 */
export const deepPipeline: Attack = {
  name: "deep-pipeline",
  does: "8 connections send 3,000 requests each in one go and read the answers",
  requirement: "section 7, item 10",
  seconds: 4,
  run: async ({ addresses, connect, untilOver }) => {
    let answered = 0;
    let bare = 0;
    for (const address of addresses) {
      const socket = await connect(address);
      let text = "";
      socket.setEncoding("latin1").on("data", (chunk: string) => {
        text = (text + chunk).replace(/HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n/g, (head: string, status: string) => {
          answered += 1;
          if (status !== "200" && !head.includes("problem+json")) bare += 1;
          return "";
        });
        text = text.slice(-20_000);
      });
      socket.write(rawRequest("GET", "/api").repeat(requests));
    }
    await untilOver();
    return {
      saw: `${answered} of ${requests * addresses.length} answered, ${bare} refused without a problem document`,
      fault: bare === 0 ? undefined : `${bare} requests were refused without a problem document`,
    };
  },
};
