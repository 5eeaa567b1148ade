import { expect, test, vi } from "vitest";
import { urlOf } from "../../../packages/storage-knex/test/private-replicas.ts";
import { type GaleraNode, galeraNodes, startsGalera } from "./galera-nodes.ts";
import { random } from "./private-databases.ts";
import { eventually, pause, type Server, sceneOf } from "./server-under-fault.ts";
import { deliver, isLong, judge, outcomeOf, storm } from "./storm.ts";

vi.setConfig({ testTimeout: 3_600_000 });

const rounds = 5;
/** The nodes that are left wait 2 s of these before they go on without one (`evs.suspect_timeout`). */
const answeredWithinMs = 5_000;

/** The same nodes with another one in front. */
const turned = (nodes: readonly GaleraNode[], by: number): readonly GaleraNode[] => [
  ...nodes.slice(by),
  ...nodes.slice(0, by),
];

// A node takes longer to join than the short form may.
test.skipIf(!isLong || !startsGalera)(
  "three nodes of Galera that all take writes, of which one is killed under load, lose and double nothing",
  async (context) => {
    const scene = sceneOf(context);
    const nodes = await galeraNodes(scene, 3);
    await nodes[0]?.command("CREATE USER postern@127.0.0.1", "GRANT ALL ON postern.* TO postern@127.0.0.1");
    const directory = scene.temporaryDirectory();
    const all: Server[] = [];
    for (const [index, role] of ["http", "http", "http", "worker", "worker", "worker"].entries()) {
      const environment = {
        POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
        DATABASE_URL: urlOf(...turned(nodes, index % 3)),
        POSTERN_ROLE: role,
      };
      all.push(await scene.server(directory, environment));
    }
    // The first process makes the tables.
    await all[0]?.start();
    await Promise.all(all.slice(1).map((one) => one.start()));
    const load = storm(all.flatMap(({ url }) => url ?? []));
    const seed = Number(process.env.POSTERN_FAULTS_SEED ?? Math.floor(Math.random() * 1_000_000));
    const draw = random(seed);
    let slowestAnswer = 0;

    for (let round = 0; round < rounds; round += 1) {
      await pause(1_000 + draw() * 2_000);
      const index = Math.floor(draw() * nodes.length);
      await nodes[index]?.end("SIGKILL");
      const killedAt = performance.now();
      // Its first host is the node that is gone.
      await eventually(
        "a delivery is answered",
        async () => (await deliver(all[index]?.url, `after_${round}`)).status === 200,
        answeredWithinMs,
      );
      slowestAnswer = Math.max(slowestAnswer, performance.now() - killedAt);
      await nodes[index]?.rejoin();
    }

    const tally = await load.end();
    const own = Array.from({ length: rounds }, (_, round) => `after_${round}`);
    const accepted = new Set([...tally.accepted, ...own]);
    const outcomes = [];
    for (const node of nodes) outcomes.push(await outcomeOf(urlOf(node), accepted));
    const [outcome, ...others] = outcomes;
    if (outcome === undefined) throw new Error("there are three nodes");
    for (const other of others) expect(other).toEqual(outcome);
    const times = `${rounds} kills of a node, an answer after ${Math.round(slowestAnswer)} ms, seed ${seed}`;
    judge("Galera: three writers, a node is killed and joins again", { ...tally, accepted }, outcome, times);
    expect(all.map(({ restarts }) => restarts)).toEqual([0, 0, 0, 0, 0, 0]);
  },
);
