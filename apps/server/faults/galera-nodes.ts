import { existsSync } from "node:fs";
import {
  type PrivateServer,
  privateServer,
  startsMariadb,
} from "../../../packages/storage-knex/test/private-server.ts";
import { freePort } from "../../../test/free-port.ts";
import { eventually, type Scene } from "./server-under-fault.ts";

const provider = "/usr/lib/galera/libgalera_smm.so";

/** Whether MariaDB and the library of Galera are installed here. */
export const startsGalera = startsMariadb && existsSync(provider);

/** A node of a cluster, all of whose nodes take writes. */
export interface GaleraNode extends Pick<PrivateServer, "port" | "command" | "end"> {
  /** Starts it again. Resolves when it has what the others have, and takes writes. */
  rejoin(): Promise<void>;
}

/** Starts a node. Resolves when it has what the others have, and takes writes. */
const join = async (node: PrivateServer, further: readonly string[] = []): Promise<void> => {
  await node.start(further);
  await eventually("the node has joined", async () => {
    const [row] = await node.command("SHOW STATUS LIKE 'wsrep_local_state_comment'");
    return row?.Value === "Synced";
  });
};

/**
 * How soon the nodes that are left go on without one that says nothing: after 2 s in place of 5. The
 * other settings follow from it.
 */
const eviction = [
  "evs.keepalive_period=PT0.5S",
  "evs.inactive_check_period=PT0.25S",
  "evs.suspect_timeout=PT2S",
  "evs.inactive_timeout=PT6S",
  "evs.install_timeout=PT4S",
].join(";");

/** A cluster that runs. Its nodes end with the test. */
export const galeraNodes = async (scene: Scene, count: number): Promise<readonly GaleraNode[]> => {
  const places: { readonly gcomm: number; readonly ist: number; readonly sst: number }[] = [];
  for (let n = 0; n < count; n += 1) {
    places.push({ gcomm: await freePort(), ist: await freePort(), sst: await freePort() });
  }
  const cluster = places.map(({ gcomm }) => `127.0.0.1:${gcomm}`).join(",");
  const nodes = await Promise.all(
    places.map(({ gcomm, ist, sst }) =>
      privateServer(scene.temporaryDirectory(), [
        "--max-connections=200",
        "--binlog-format=ROW",
        "--innodb-autoinc-lock-mode=2",
        "--wsrep-on=ON",
        `--wsrep-provider=${provider}`,
        "--wsrep-cluster-name=postern",
        `--wsrep-cluster-address=gcomm://${cluster}`,
        `--wsrep-node-address=127.0.0.1:${gcomm}`,
        `--wsrep-provider-options=base_port=${gcomm};gmcast.listen_addr=tcp://127.0.0.1:${gcomm};ist.recv_addr=127.0.0.1:${ist};${eviction}`,
        "--wsrep-sst-method=rsync",
        `--wsrep-sst-receive-address=127.0.0.1:${sst}`,
      ]),
    ),
  );
  for (const [index, node] of nodes.entries()) {
    scene.afterwards(() => node.end("SIGKILL"));
    // The first one makes the cluster; a node that joins copies what another one has.
    await join(node, index === 0 ? ["--wsrep-new-cluster"] : []);
  }
  return nodes.map((node) => ({ ...node, rejoin: () => join(node) }));
};
