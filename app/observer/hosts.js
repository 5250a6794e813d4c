/**
 * Which databases are watched.
 */

/** Of every system with one database. */
const STANDARD = 'mongo';
const PORT = 27017;

/**
 * @param {string | undefined} text names, with commas between them
 * @returns {{ name: string, host: string }[]}
 */
export const parseHosts = (text) => (text || STANDARD).split(',').map((name) => ({ name: name.trim(), host: `${name.trim()}:${PORT}` }));
