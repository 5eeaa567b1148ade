/** Where the server's paths begin. The page is at `/console` below it, or at `/console/`: some hosts answer only one of both. */
export const root = location.pathname.replace(/\/console\/?$/, "");

/** The same with the name of the server, as this browser reaches it. */
export const serverAddress = location.origin + root;
