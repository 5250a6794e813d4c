/**
 * Reads a container's output as the engine keeps it: a time before each line.
 */

/** What a service calls its counter of lines that it could not write, as its record has it. */
export const DROPPED_LINES = 'dropped log lines';

/** RFC 3339 with up to nine digits of a second, as `docker logs --timestamps` writes it. */
const STAMPED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d) (.*)$/;

/**
 * @param {string} log
 * @returns {{ t: number, text: string }[]} t: seconds since 1970 at which the engine took the line; lines without a time are left out
 */
export function stampedLines(log) {
  return log.split('\n').flatMap((line) => {
    const found = STAMPED.exec(line);
    if (!found) return [];
    const [, moment, fraction = '.0', zone, text] = found;
    return [{ t: Date.parse(`${moment}${zone}`) / 1000 + Number(fraction), text }];
  });
}
