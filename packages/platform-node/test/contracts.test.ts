import { generateKeyPairSync } from "node:crypto";
import { setTimeout as pass } from "node:timers/promises";
import { memoryFetcher, memoryTelemetry } from "@postern/core/memory";
import {
  alertsContract,
  clockContract,
  commonPasswordsContract,
  idsContract,
  type JwtSender,
  jwtVerifierContract,
  oneTimeCodesContract,
  passwordHasherContract,
  randomnessContract,
  secretBoxContract,
  signerContract,
  telemetryContract,
} from "@postern/core/testing";
import { CompactSign } from "jose";
import {
  aesSecretBox,
  argonPasswordHasher,
  joseJwtVerifier,
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

const keyPairs = {
  RS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  PS512: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  ES384: () => generateKeyPairSync("ec", { namedCurve: "P-384" }),
  ES512: () => generateKeyPairSync("ec", { namedCurve: "P-521" }),
  EdDSA: () => generateKeyPairSync("ed25519"),
};
for (const [alg, newPair] of Object.entries(keyPairs)) {
  const newSender = (): JwtSender => {
    const { publicKey, privateKey } = newPair();
    return {
      publicKey: { ...publicKey.export({ format: "jwk" }), kid: "k", alg },
      sign: (claims, header) =>
        new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
          .setProtectedHeader({ alg, kid: "k", ...header })
          .sign(privateKey),
    };
  };
  const [sender, stranger] = [newSender(), newSender()];
  keeps(`joseJwtVerifier with ${alg}`, jwtVerifierContract, () => ({
    verifier: joseJwtVerifier(),
    kid: "k",
    sender,
    stranger,
  }));
}
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
