/**
 * Loaded before a program, by `--import`: when the program ends, the files that it has loaded are
 * written to standard error, as JSON in the last line.
 */
import { createRequire, register } from "node:module";
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";

const { port1, port2 } = new MessageChannel();
port1.unref();
const hooks = `
  let port;
  export const initialize = (given) => { port = given; };
  export const load = (url, context, next) => { port.postMessage(url); return next(url, context); };
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`, import.meta.url, { data: port2, transferList: [port2] });

process.on("exit", () => {
  const files = new Set(Object.keys(createRequire(import.meta.url).cache));
  for (let one = receiveMessageOnPort(port1); one !== undefined; one = receiveMessageOnPort(port1))
    files.add(String(one.message));
  process.stderr.write(`\n${JSON.stringify([...files])}`);
});
