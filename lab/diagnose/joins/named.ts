/**
 * Ids of failed requests that the wire does not have. Of a long head the first kilobytes alone are recorded, and the id may stand behind them;
 * but when a call ended, and with which status, is on record. The generator says the same of each request that failed, and its id. So a call of
 * the generator without an id is the failed request with its status that went on while the call did.
 */

import { GENERATOR_NAME } from '../../base/paths.ts';
import { grouped } from '../../base/values.ts';
import { leading } from '../../stats/numbers.ts';
import type { WireCall, WireRecord } from '../../wire/record.ts';
import { lookUp } from '../../wire/tenancy.ts';
import type { Failed } from './failed.ts';

/** The generator's clock has whole milliseconds, and so has what it says of a wait. */
const CLOCK_S = 0.002;
/** A generator that is short of CPU, or that sends several together, reads late what the kernel has told it. */
const READ_LATE_S = 2;

/**
 * @param failures of the load, by the generator's own record
 * @returns the same; where calls were named, these are others, and say that their id is not of the wire (`id_by_time`)
 */
export function withNamed(wire: WireRecord, failures: Failed[]): WireRecord {
	const isGenerators = generatorLines(wire);
	const own = [...wire.calls.keys()].filter((index) => isGenerators.has(wire.calls[index].connection));
	const seen = new Set(own.map((index) => wire.calls[index].id));
	const unseen = grouped(
		failures.filter(({ id, status }) => status > 0 && !seen.has(id)),
		({ status }) => status,
	);
	if (unseen.size === 0) return wire;
	const nameless = grouped(
		own.filter((index) => isNameless(wire.calls[index])),
		(index) => wire.calls[index].status,
	);
	const calls = wire.calls.slice();
	for (const [status, failed] of unseen) {
		const such = nameless.get(status) ?? [];
		const soon = paired(failed, such, calls, CLOCK_S);
		const taken = new Set(soon.values());
		const late = paired(
			failed.filter((one) => !soon.has(one)),
			such.filter((index) => !taken.has(index)),
			calls,
			READ_LATE_S,
		);
		for (const [{ id }, index] of [...soon, ...late]) calls[index] = named(calls[index], id);
	}
	return { ...wire, calls };
}

/**
 * Connections on which the generator asks.
 * @returns their ids
 */
function generatorLines({ services, connections }: WireRecord): Set<number> {
	const tenantAt = lookUp(services);
	return new Set(
		connections.flatMap(({ id, client, opened_at: at }) => ((tenantAt(client, at)?.name ?? client) === GENERATOR_NAME ? [id] : [])),
	);
}

const isNameless = ({ id, status, ended_at: ended, role = 'call' }: WireCall) =>
	id === undefined && status !== null && ended !== null && (role === 'call' || role === 'wait');

/**
 * As many as can be: those that were begun last have the fewest calls within them, and each takes the one of these that ended last.
 * @param own calls with their status
 * @param lateS that the generator may have read the end after it came
 */
function paired(failed: Failed[], own: number[], calls: WireCall[], lateS: number): Map<Failed, number> {
	const endOf = (index: number) => calls[index].ended_at as number;
	const beganAt = ({ t, waited_s: waited }: Failed) => t - waited - lateS;
	const waiting = own.toSorted((one, other) => calls[one].began_at - calls[other].began_at);
	/** Begun since the failed one was, that which ended last first. */
	const within: number[] = [];
	const pairs: Map<Failed, number> = new Map();
	for (const one of failed.toSorted((first, second) => beganAt(second) - beganAt(first))) {
		for (let last = waiting.at(-1); last !== undefined && calls[last].began_at >= beganAt(one); last = waiting.at(-1)) {
			const ended = endOf(last);
			const place = leading(within, (index) => endOf(index) > ended);
			within.splice(place, 0, last);
			waiting.pop();
		}
		const place = leading(within, (index) => endOf(index) > one.t + CLOCK_S);
		if (place < within.length) pairs.set(one, within.splice(place, 1)[0]);
	}
	return pairs;
}

/** Those of a record are read as they are asked for, so that each field is named. */
function named(call: WireCall, id: string): WireCall {
	const { connection, began_at, sent_at, first_at, ended_at, verb, template, status, code, bad, end, by } = call;
	const { sent_bytes, answered_bytes, trace, role, state, hole, late_at, raced } = call;
	// One literal: spread together, objects of so many fields take several times as long to make.
	// biome-ignore format: as the two lines above
	return {
    connection, began_at, sent_at, first_at, ended_at, verb, template, status, code, bad, end, by,
    sent_bytes, answered_bytes, trace, role, state, hole, late_at, raced, id, id_by_time: true,
  };
}
