/** The table in the target of a copy. As long as it is there, no server starts on the database. */
export const markerTable = "copy_progress";
