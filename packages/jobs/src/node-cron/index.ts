export { nodeCronPlan } from "./node-cron-plan.ts";
