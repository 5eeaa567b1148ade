// Loaded into a server by `--import`: SIGUSR2 sets its wall clock a day forward, the next one a day back, and so on.
const day = 24 * 3600 * 1000;
const now = Date.now;
let offset = 0;
Date.now = () => now() + offset;
process.on("SIGUSR2", () => {
  offset = offset === 0 ? day : -offset;
});
