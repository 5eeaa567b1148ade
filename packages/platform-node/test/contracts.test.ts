import { setTimeout as pass } from "node:timers/promises";
import { memoryFetcher, memoryTelemetry } from "@postern/core/memory";
import {
  alertsContract,
  clockContract,
  commonPasswordsContract,
  idsContract,
  oneTimeCodesContract,
  passwordHasherContract,
  randomnessContract,
  secretBoxContract,
  signerContract,
  telemetryContract,
} from "@postern/core/testing";
import {
  aesSecretBox,
  argonPasswordHasher,
  joseSigner,
  logAlerts,
  nodeIds,
  nodeOneTimeCodes,
  nodeRandomness,
  pinoTelemetry,
  systemClock,
  webhookAlerts,
  zxcvbnCommonPasswords,
} from "../src/index.ts";
import { collectedLog } from "./collected-log.ts";
import { keeps } from "./keeps.ts";

const secretKey = new Uint8Array(32).fill(1);
const otherKey = new Uint8Array(32).fill(2);
const url = "https://alerts.example/in";

keeps("systemClock", clockContract, () => ({ clock: systemClock(), pass: (ms) => pass(ms + 2) }));
keeps("nodeIds", idsContract, nodeIds);
keeps("nodeOneTimeCodes", oneTimeCodesContract, nodeOneTimeCodes);
keeps("nodeRandomness", randomnessContract, nodeRandomness);
keeps("joseSigner", signerContract, () => ({
  signer: joseSigner({ secretKey }),
  foreign: joseSigner({ secretKey: otherKey }),
}));
keeps("zxcvbnCommonPasswords", commonPasswordsContract, zxcvbnCommonPasswords);
keeps("argonPasswordHasher", passwordHasherContract, argonPasswordHasher);
keeps("aesSecretBox", secretBoxContract, () => ({
  box: aesSecretBox({ secretKey }),
  foreign: aesSecretBox({ secretKey: otherKey }),
}));
for (const format of ["json", "pretty"] as const) {
  keeps(`pinoTelemetry (${format})`, telemetryContract, () =>
    pinoTelemetry({ level: "debug", format, stream: collectedLog() }),
  );
}
keeps("pinoTelemetry on a broken stream", telemetryContract, () =>
  pinoTelemetry({
    level: "debug",
    format: "json",
    stream: {
      write: () => {
        throw new Error("EPIPE");
      },
    },
  }),
);
keeps("logAlerts", alertsContract, () => logAlerts(memoryTelemetry()));
keeps("webhookAlerts", alertsContract, () =>
  webhookAlerts({ url, fetcher: memoryFetcher({ [url]: () => ({ status: 204 }) }), telemetry: memoryTelemetry() }),
);
keeps("webhookAlerts without a receiver", alertsContract, () =>
  webhookAlerts({ url, fetcher: memoryFetcher({}), telemetry: memoryTelemetry() }),
);
