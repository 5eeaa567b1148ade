import { cronWords } from "@postern/jobs/internal";
import { expect, test } from "vitest";

test.each([
  ["* * * * *", "every minute"],
  ["*/15 * * * *", "every 15 minutes"],
  ["0-59/15 * * * *", "every hour at minutes 0, 15, 30 and 45"],
  ["0 * * * *", "every hour"],
  ["@hourly", "every hour"],
  ["17 * * * *", "every hour at minute 17"],
  ["5,35 * * * *", "every hour at minutes 5 and 35"],
  ["0 */6 * * *", "every 6 hours"],
  ["30 */6 * * *", "every 6 hours at minute 30"],
  ["0 3 * * *", "every day at 03:00"],
  ["@daily", "every day at 00:00"],
  ["0 8,12,16 * * *", "every day at 08:00, 12:00 and 16:00"],
  ["0 8-18/2 * * *", "every day at 08:00, 10:00, 12:00, 14:00, 16:00 and 18:00"],
  ["0 8-18 * * 1-5", "every hour from 08:00 to 18:00, Monday to Friday"],
  ["*/10 8-17 * * mon-fri", "every 10 minutes from 08:00 to 17:59, Monday to Friday"],
  ["* 4 * * *", "every minute from 04:00 to 04:59"],
  ["0 6 * * 1", "every Monday at 06:00"],
  ["0 6 * * MON,thu", "every Monday and Thursday at 06:00"],
  ["0 6 * * 7", "every Sunday at 06:00"],
  ["0 6 * * 0,6", "every Sunday and Saturday at 06:00"],
  ["@weekly", "every Sunday at 00:00"],
  ["0 2 1 * *", "on day 1 of each month at 02:00"],
  ["0 2 1,15 * *", "on days 1 and 15 of each month at 02:00"],
  ["0 2 L * *", "on the last day of each month at 02:00"],
  ["@yearly", "on day 1 of January at 00:00"],
  ["0 9 * jan,JUL *", "every day in January and July at 09:00"],
  ["0 0 13 * 5", "every Friday that is day 13 of its month at 00:00"],
  ["*/7 * * * *", "at the times of */7 * * * *"],
  ["*/7 3,9 1-7 2 *", "at the times of */7 3,9 1-7 2 *"],
])("%s is %s", (cron, words) => {
  expect(cronWords({ cron, timeZone: "Europe/Berlin" })).toBe(`${words} (Europe/Berlin)`);
});
