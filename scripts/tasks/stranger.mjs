/** Somebody who has an empty folder, npm and the documentation. */
import { execFile, spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { partOf } from "./page.mjs";

const startMs = 60_000;
const stopMs = 20_000;

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const answers = (url) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/** A secret as Stripe shows it. */
export const newSecret = () => `whsec_${randomBytes(32).toString("base64url")}`;

/** A webhook as Stripe sends it, signed by what Stripe's documentation says and nothing of Postern. */
const stripeRequest = (secret, event) => {
  const body = JSON.stringify(event);
  const seconds = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return {
    method: "POST",
    headers: { "content-type": "application/json", "stripe-signature": `t=${seconds},v1=${signature}` },
    body,
  };
};

/**
 * `environment` is added to that of every command. `installed` remembers the modules of the first
 * project, so that the next ones need not install the same again.
 */
export const newStranger = async ({ folder, environment, installed }) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...environment, PORT: String(port) };
  const ended = [];
  let at = folder;

  /** In a project the command line is a script of it. */
  const inProject = (command) => {
    if (!/^(?:\.\/)?postern /m.test(command)) return command;
    const words = partOf("docs/start.md#a-project-of-your-own")
      .command("npm run -s postern --")
      .replace(/ -- .*/, " --");
    return command.replaceAll(/(^|\(|\| )(?:\.\/)?postern (?=[a-z])/gm, `$1${words} `);
  };

  const shell = (command, { input = "", more = {} } = {}) =>
    new Promise((resolve) => {
      const options = { cwd: at, env: { ...env, ...more }, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 };
      const child = execFile("bash", ["-eo", "pipefail", "-c", inProject(command)], options, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : (error.code ?? 1), stdout, stderr }),
      );
      child.stdin.end(input);
    });

  return {
    url,
    /** The folder that the commands run in. */
    get folder() {
      return at;
    },
    port,
    env,
    /** Runs a command, and returns what it printed. Throws if it fails. */
    run: async (command, options) => {
      const { code, stdout, stderr } = await shell(command, options);
      if (code !== 0) throw new Error(`\`${command}\` ended with ${code}:\n${stdout}${stderr}`);
      return stdout;
    },
    /** Runs a command that must fail, and returns what it printed. */
    fails: async (command, options) => {
      const { code, stdout, stderr } = await shell(command, options);
      if (code === 0) throw new Error(`\`${command}\` did not fail:\n${stdout}`);
      return stdout + stderr;
    },
    /** Makes the project that the page shows, and goes into it. Its modules are installed once for all tasks. */
    project: async (options = "") => {
      const page = partOf("docs/start.md#a-project-of-your-own");
      const command = page.command("npm create postern@latest");
      const quick = installed.modules === undefined ? "" : " --no-install";
      const extra = `${options}${quick}`;
      const { code, stdout, stderr } = await shell(extra === "" ? command : `${command} --${extra}`);
      if (code !== 0) throw new Error(`${command}:\n${stdout}${stderr}`);
      at = join(at, page.command("cd ").replace("cd ", ""));
      const modules = join(at, "node_modules");
      if (installed.modules === undefined) {
        installed.modules = join(installed.folder, "node_modules");
        cpSync(modules, installed.modules, { recursive: true, verbatimSymlinks: true });
      } else {
        cpSync(installed.modules, modules, { recursive: true, verbatimSymlinks: true });
      }
    },
    /** Writes files by name. In a project one package has all names, unless they are to be as they are. */
    write: (files, { asTheyAre = false } = {}) => {
      partOf("docs/start.md#a-project-of-your-own").says(
        "In your project import from `postern` what other pages import from `@postern/core`, `@postern/rest` and `@postern/server`",
      );
      for (const [name, code] of Object.entries(files)) {
        const path = join(at, name);
        mkdirSync(dirname(path), { recursive: true });
        const own = code.replaceAll(/from "@postern\/(?:core|rest|server)"/g, 'from "postern"');
        writeFileSync(path, asTheyAre ? code : own);
      }
    },
    /** Starts a server and waits until it is ready, or, if it listens nowhere, until it says so. */
    start: async (command, { more = {}, ready = "/health/ready", says } = {}) => {
      const child = spawn("bash", ["-c", inProject(command)], {
        cwd: at,
        env: { ...env, ...more },
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      let log = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (log += text));
      const closed = new Promise((resolve) => child.once("close", resolve));
      let isRunning = true;
      void closed.then(() => (isRunning = false));
      const signal = (name) => {
        try {
          process.kill(-child.pid, name);
        } catch {
          // It has ended already.
        }
      };
      const stop = async () => {
        signal("SIGTERM");
        const isStopped = await Promise.race([closed.then(() => true), sleep(stopMs, false, { ref: false })]);
        if (!isStopped) signal("SIGKILL");
        await closed;
      };
      ended.push(stop);
      const address = `http://127.0.0.1:${more.PORT ?? port}`;
      const until = performance.now() + startMs;
      while (!(says === undefined ? await answers(address + ready) : log.includes(says))) {
        if (!isRunning || performance.now() > until) throw new Error(`\`${command}\` did not start:\n${log}`);
        await sleep(50);
      }
      return { url: address, stop, log: () => log };
    },
    /** What Stripe is answered for an event that it signs with this secret. */
    stripe: async (secret, event, { to = `${url}/api/webhooks/stripe` } = {}) => {
      const answer = await fetch(to, stripeRequest(secret, event));
      return { status: answer.status, body: await answer.json().catch(() => undefined) };
    },
    /** Tries again until what it returns is true, for ten seconds. */
    until: async (what, isSo) => {
      const end = performance.now() + 10_000;
      while (!(await isSo())) {
        if (performance.now() > end) throw new Error(`After ten seconds, still not: ${what}.`);
        await sleep(50);
      }
    },
    /** Stops whatever it has started. */
    leave: () => Promise.all(ended.map((stop) => stop())),
  };
};
