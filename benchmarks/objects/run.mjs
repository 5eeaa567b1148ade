// How long it takes to make an object from others: node benchmarks/objects/run.mjs
const job = { kind: "x", queue: "default", priority: 0, maxAttempts: 5, runAt: 1, payload: { a: 1 }, orderKey: "k" };
const answer = { status: 200, body: { a: 1 } };
const [ours, notices, limits] = [{ "content-type": "a", etag: "b", link: "c" }, undefined, { remaining: "1" }];

const ways = {
  "members, then a spread": () => ({ id: 1, eventId: 2, createdAt: 3, ...job }),
  "the same by Object.assign": () => Object.assign({ id: 1, eventId: 2, createdAt: 3 }, job),
  "a spread, then members": () => ({ ...answer, headers: ours, text: "{}" }),
  "the same by Object.assign ": () => Object.assign({}, answer, { headers: ours, text: "{}" }),
  "several spreads": () => ({ ...ours, ...notices, ...limits }),
  "the same by Object.assign  ": () => Object.assign({}, ours, notices, limits),
};

/** Kept, so that no object is left out. */
export let made;

/** Nanoseconds of processor time for one object. */
const timed = (make, times) => {
  const from = process.cpuUsage();
  for (let index = 0; index < times; index++) made = make();
  const { user, system } = process.cpuUsage(from);
  return ((user + system) * 1000) / times;
};

const times = 100_000;
for (const make of Object.values(ways)) timed(make, times);
const samples = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
for (let round = 0; round < 21; round++)
  for (const [name, make] of Object.entries(ways)) samples[name].push(timed(make, times));
for (const [name, list] of Object.entries(samples))
  console.log(name.padEnd(28), `${Math.round(list.sort((one, other) => one - other)[10])} ns`);
