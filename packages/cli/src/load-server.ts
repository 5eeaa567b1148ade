/**
 * The server, with its framework and its drivers of databases. It is loaded when a command acts, and
 * not for a page of help.
 */
export const loadServer = () => import("@postern/server/internal");
