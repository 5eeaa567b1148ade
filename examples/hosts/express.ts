import type { HttpApp } from "@postern/http";
import { nodeListener } from "@postern/http/node";
import express, { type Express } from "express";

/** Postern below `/postern` of an Express 5 application, in front of its body parsers. */
export const expressHost = (app: HttpApp): Express => {
  const host = express();
  host.use("/postern", nodeListener(app)); // Express tells it the path
  host.use(express.json());
  host.all("/{*path}", (_request, response) => void response.send("Your own page."));
  return host;
};
