/** Reads MongoDB's log, a JSON object a line (4.4 and newer). */

import { jsonIn } from '../../base/values.ts';
import { completeLines, isDuring } from '../complete-lines.ts';
import type { About } from '../contract.ts';
import type { Said } from './state.ts';

/**
 * MongoDB's own numbers for what it logs. The words of a message may change from version to version, its number does not
 * (https://www.mongodb.com/docs/manual/reference/log-messages/).
 */
export const LOG_IDS = Object.freeze({
	/** "Connection refused because there are too many open connections" */
	refused: 22942,
	/** "Received signal" */
	signal: 23377,
	/** "Slow query": any operation that took longer than `slowms`, 100 unless it is set */
	slow: 51803,
});

/** MongoDB's own default of `slowms`: below it nothing is logged for taking long. */
export const SLOW_MS = 100;
/** Of the lab's own connections. */
export const OWN_NAME = 'doubletake';
/** Of databases that only the server and its replicas write to. */
const INTERNAL = /^(local|admin|config)\./;

/** a line of the log, of what the record keeps of it */
type Entry = {
	/** severity: F, E, W, I or D1 to D5 */
	s: string;
	id: number;
	/** fixed words: what varies stands in attr */
	msg: string;
	attr?: { durationMillis?: number; planSummary?: string; ns?: string; appName?: string; connectionCount?: number };
};

/**
 * @param line without the engine's time
 * @returns null for what is no line of MongoDB's: an image's entrypoint and its scripts print others
 */
export function entryIn(line: string): Entry | null {
	const entry = line.startsWith('{') ? jsonIn(line) : null;
	return typeof entry?.id === 'number' && typeof entry.msg === 'string' && typeof entry.s === 'string' ? entry : null;
}

export function readLog(log: string, window: About['window']): Said {
	const said: Said = { messages: [], full: [] };
	for (const { t, text } of completeLines(log)) {
		const entry = isDuring(t, window) ? entryIn(text) : null;
		const { id, attr = {} } = entry ?? {};
		// It counts the one that it refuses.
		if (id === LOG_IDS.refused && attr.connectionCount) said.full.push({ t, used: attr.connectionCount - 1 });
		if (id === LOG_IDS.slow && isOfUsers(attr)) said.messages.push({ signal: 'slow', text: slowText(attr), t });
	}
	return said;
}

const isOfUsers = ({ durationMillis = 0, ns = '', appName }: NonNullable<Entry['attr']>) =>
	durationMillis >= SLOW_MS && !INTERNAL.test(ns) && appName !== OWN_NAME;

const slowText = ({ durationMillis, planSummary }: NonNullable<Entry['attr']>) =>
	`Slow query: ${durationMillis} ms${planSummary ? `, ${planSummary}` : ''}`;
