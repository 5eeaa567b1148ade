import express, { type Express } from "express";
import type { Postern } from "postern";

/** Postern below `/postern` of an Express 5 application, in front of its body parsers. */
export const expressHost = (postern: Postern): Express => {
  const host = express();
  host.use("/postern", postern.listener); // Express tells it the path
  host.use(express.json());
  host.all("/{*path}", (_request, response) => void response.send("Your own page."));
  return host;
};
