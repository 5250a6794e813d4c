/**
 * What of MongoDB's log the record keeps: when it said what, in its own fixed words. What varies (commands, values, names of users, of
 * databases and of clients) is the user's, but for a few attributes that the lab reads.
 */

import { entryIn, OWN_NAME } from './log.ts';

const NOT_KEPT = '(its text is not kept)';
/** Of the server's own databases and of the lab: names that are not the user's. */
const KEPT: Record<string, (value: any) => unknown> = {
	durationMillis: number,
	signal: number,
	connectionCount: number,
	// Of a container, or of the lab; not of a person.
	remote: String,
	// "IXSCAN { email: 1 }" names fields; the stage alone does not.
	planSummary: (value) => /^[A-Z_]+/.exec(String(value))?.[0],
	ns: (value) => /^(local|admin|config)\./.exec(String(value))?.[0],
	appName: (value) => (value === OWN_NAME ? value : undefined),
};

/**
 * @param line without the engine's time
 * @returns from which the same messages are read
 */
export function redact(line: string): string {
	const entry = entryIn(line) as Record<string, any> | null;
	if (entry === null) return line === '' ? line : NOT_KEPT;
	const { t, s, c, id, ctx, msg, attr = {} } = entry;
	const kept = Object.entries(KEPT).flatMap(([name, keep]) => {
		const value = attr?.[name] === undefined ? undefined : keep(attr[name]);
		return value === undefined ? [] : [[name, value]];
	});
	return JSON.stringify({ t, s, c, id, ctx, msg, ...(kept.length > 0 ? { attr: Object.fromEntries(kept) } : {}) });
}

function number(value: unknown) {
	return typeof value === 'number' ? value : undefined;
}
