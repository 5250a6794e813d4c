/**
 * Marks the moment at which the users are ready; the lab places every other record by it, and has to hear of it before the load.
 */

/** k6 1.1.0 holds its log back until this many bytes are together (internal/log/file.go: a bufio.Writer); a longer line is written at once. */
const HELD_BACK_BYTES = 4096;

/** The line of k6's log. @param {number} now milliseconds since 1970 */
export const startLine = (now) => JSON.stringify({ event: 'start', t: now / 1000 }) + ' '.repeat(HELD_BACK_BYTES);

/** To be called where `teardown` begins: whatever made k6 end the load, all its users have ended. */
export const tellEnd = () => console.error(JSON.stringify({ event: 'end', t: Date.now() / 1000 }));

/** To be called at the end of `setup`. */
export const tellStart = () => console.error(startLine(Date.now()));
