import { memoryPorts } from "@postern/core/memory";
import { createJobs, defineJob, schedule } from "@postern/jobs";
import { nodeCronPlan } from "@postern/jobs/node-cron";
import { expect, test } from "vitest";

const nothing = async (): Promise<void> => undefined;

test("declarations that cannot work are refused, with all faults at once", () => {
  const ports = { ...memoryPorts(), cronPlan: nodeCronPlan() };
  const jobs = [defineJob("mail", nothing), { ...defineJob("other", nothing), timeoutMs: -1 }];
  const schedules = [
    schedule("mail", "0 3 * * *", nothing),
    { ...schedule("nightly", "0 3 * * *", nothing), cron: "61 3 * * *" },
  ];
  const making = () => createJobs({ ports, jobs, schedules });
  expect(making).toThrow(`handler "other": "timeoutMs" must be`);
  expect(making).toThrow('schedule "nightly"');
  expect(making).toThrow('there are two entries named "mail" in the handler table');
});
