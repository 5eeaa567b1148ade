// Runs the Express example by itself: vitest resolves one of Express's dependencies to a module
// that its `require` cannot use.
import express from "express";
import { webhook } from "../../examples/express.ts";
import { schemes } from "../../src/all-schemes.ts";
import { createVerifier } from "../../src/index.ts";

const app = express();
const verifier = createVerifier(schemes.slack, { keys: process.argv[2] });
const handle = ({ id, type }) => process.send({ id, type });
app.all("/hook", webhook(verifier, handle));
const server = app.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
