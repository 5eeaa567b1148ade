import express, { type Express } from "express";
import type { Postern } from "postern";

/** A route of your own that only users of Postern may call. */
export const hostWithOwnRoute = (postern: Postern): Express => {
  const host = express();
  host.use("/postern", postern.listener);
  host.get("/greeting", async (request, response) => {
    const caller = await postern.authenticate(request);
    if (caller === undefined) return void response.status(401).send("Sign in first.");
    response.send(`Hello ${caller.userId}, you are a ${caller.role}.`);
  });
  return host;
};
