import { defineJob, schedule } from "@postern/server";

/** Thanks a customer. If the run fails, no mail goes; if it runs again, one mail goes. */
export const thank = defineJob<{ email: string }>("thank", async ({ email }, { mail }) => {
  await mail({ to: email, subject: "Thank you", text: "We have your money.\n", html: "<p>We have your money.</p>" });
});

/** Mails the number of users each morning, in the commit that also notes it. */
export const report = schedule("report", "0 7 * * *", async (_due, { commit }) => {
  await commit(async (rows, tx) => {
    const users = await rows.users?.list();
    await tx.mail({ to: "boss@example.com", subject: "Users", text: `There are ${users?.length ?? 0}.\n` });
  });
});
