/**
 * All that the rules may look at. Gathered from the record alone: nothing here tells which architecture or which fault
 * was run.
 */

import { scenarios } from '../../catalog/scenarios.ts';
import { databasesIn } from '../database-rows.ts';
import { generatorCounts } from '../generator-counts.ts';
import { linedOf, passedIn } from '../joins/joined.ts';
import { systemOf } from '../measured-system.ts';
import { gainedInLoad } from '../time/increments.ts';
import { placedOn } from '../time/seconds.ts';
import { gapsOf } from '../wire-gaps.ts';
import { decidingIncrements } from './counters.ts';
import { entryProxyOf, hopsIn, saidIn, withHeartbeats } from './hop-records.ts';
import { livesOf } from './lives.ts';
import { loggedIn } from './traces.ts';

/**
 * @typedef {import('../measured-system.ts').System & ReturnType<typeof databasesIn> & import('./lives.ts').Lives & import('./traces.ts').Logged & ReturnType<typeof gainedInLoad> & Gathered} Facts
 *
 * @typedef {object} Gathered
 * @property {import('../time/window.ts').Window} window
 * @property {import('../generator-counts.ts').GeneratorCounts} generator
 * @property {{ code: number, kind: string, error: string }[]} errorSamples  k6's error texts, each once a user
 * @property {import('../time/seconds.ts').PlacedSnapshot[]} snapshots
 * @property {import('./hop-records.ts').EntryProxy | null} entryProxy  the proxy that users talk to
 * @property {import('../../adapters/contract.ts').HopRecord[]} hops  what adapters read of services, the front's too
 * @property {Map<string, import('./hop-records.ts').Saying>} said  what each of them said
 * @property {Set<string> | null} failedIds       of requests that failed by the generator's own record; null where it has none
 * @property {Record<string, number>} repeated    how often a node received a request once more
 * @property {import('./counters.ts').Increments} increments  counters that can decide
 * @property {import('../joins/joined.ts').Passed | null} passed  what passed the wire; null where nothing was recorded
 * @property {import('../../record/types.js').WireGap[]} gaps  what the record of the wire does not have; none where nothing was recorded
 * @property {Record<string, string>} refusals      statuses and names of errors by which the app refuses a request, to the cause
 * @property {import('../read-raw.ts').Raw} raw     for what is no rule
 */

/**
 * @param {import('../read-raw.ts').Raw} record
 * @param {import('../time/window.ts').Window} window
 * @param {import('../joins/joined.ts').Passed | null} [passed]  on its wire
 * @returns {Facts}
 */
export function gatherFacts(record, window, passed = record.wire ? passedIn(linedOf(record.wire), window.from, record.failures) : null) {
	const generator = generatorCounts(record);
	const system = systemOf(record, generator.name);
	const hops = hopsIn(record, window, system);
	const entryProxy = entryProxyOf(hops, window, system.entry);
	const raw = withHeartbeats(record, hops);
	const stores = databasesIn(raw, window);
	const lives = livesOf(raw, window, entryProxy);
	const logged = loggedIn(record, { hops, entryProxy, restarts: lives.restarts });
	return {
		window,
		generator,
		...system,
		hops,
		entryProxy,
		said: new Map(hops.map(({ service, messages }) => [service, saidIn(messages)])),
		...stores,
		...lives,
		...logged,
		...gainedInLoad(raw, window),
		increments: decidingIncrements(raw, { entryProxy, databases: stores.databases, attempts: logged.attempts }),
		passed,
		gaps: passed ? gapsOf(passed.lined, system.edges) : [],
		errorSamples: raw.errorSamples,
		snapshots: placedOn(raw.snapshots, window),
		failedIds: raw.program ? null : new Set(raw.failures.map(({ id }) => id)),
		repeated: Object.fromEntries(Object.entries(raw.repeated).map(([name, times]) => [name, times.filter((t) => t >= window.from).length])),
		refusals: scenarios[raw.manifest.scenario]?.refusals ?? {},
		raw,
	};
}
