#!/usr/bin/env node
import { runCreate } from "create-postern";

process.exitCode = await runCreate(process.argv.slice(2), process);
