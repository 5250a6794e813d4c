/** Reads a container's output as the engine keeps it: a time before each line. */

/** What a service calls its counter of lines that it could not write, as its record has it. */
export const DROPPED_LINES = 'dropped log lines';

/** RFC 3339 with up to nine digits of a second, as `docker logs --timestamps` writes it. */
const STAMPED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d) (.*)$/;

/** @returns t: seconds since 1970 at which the engine took the line; lines without a time are left out */
export function stampedLines(log: string): { t: number; text: string }[] {
	return log.split('\n').flatMap((line) => {
		const found = STAMPED.exec(line);
		if (!found) return [];
		const [, moment, fraction = '.0', zone, text] = found;
		return [{ t: Date.parse(`${moment}${zone}`) / 1000 + Number(fraction), text }];
	});
}

/** The stamp alone, of a line of which the rest may be long. */
const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d) /;
const STAMP_MOST = 40;

/**
 * The same, line by line: of a long log all lines at once would take several times its memory.
 * @param isAsked of whole seconds
 * @param most characters of a line
 */
export function* linesOf(log: string, isAsked: (t: number) => boolean, most: number): Generator<{ t: number; text: string }> {
	let [second, from, isIn] = ['', 0, false];
	for (let at = 0; at < log.length; ) {
		const next = log.indexOf('\n', at);
		const end = next < 0 ? log.length : next;
		const stamp = STAMP.exec(log.slice(at, Math.min(end, at + STAMP_MOST)));
		if (stamp) {
			const [whole, moment, fraction = '0', zone] = stamp;
			// Most lines come in the same second as the one before.
			if (moment + zone !== second) {
				[second, from] = [moment + zone, Date.parse(moment + zone) / 1000];
				isIn = isAsked(from);
			}
			if (isIn) yield { t: from + Number(fraction), text: log.slice(at + whole.length, Math.min(end, at + whole.length + most)) };
		}
		at = end + 1;
	}
}
