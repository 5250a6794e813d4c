/**
 * All that the rules may look at. Gathered from the record alone: nothing here tells which architecture or which fault
 * was run.
 */

import { scenarios } from '../../catalog/scenarios.js';
import { databasesIn } from '../database-rows.js';
import { generatorCounts } from '../generator-counts.js';
import { linedOf, passedIn } from '../joins/joined.js';
import { systemOf } from '../measured-system.js';
import { gainedInLoad } from '../time/increments.js';
import { placedOn } from '../time/seconds.js';
import { gapsOf } from '../wire-gaps.js';
import { decidingIncrements } from './counters.js';
import { entryProxyOf, hopsIn, saidIn, withHeartbeats } from './hop-records.js';
import { livesOf } from './lives.js';
import { loggedIn } from './traces.js';

/**
 * @typedef {import('../measured-system.js').System & ReturnType<typeof databasesIn> & import('./lives.js').Lives & import('./traces.js').Logged & ReturnType<typeof gainedInLoad> & Gathered} Facts
 *
 * @typedef {object} Gathered
 * @property {import('../time/window.js').Window} window
 * @property {import('../generator-counts.js').GeneratorCounts} generator
 * @property {{ code: number, kind: string, error: string }[]} errorSamples  k6's error texts, each once a user
 * @property {import('../time/seconds.js').PlacedSnapshot[]} snapshots
 * @property {import('./hop-records.js').EntryProxy | null} entryProxy  the proxy that users talk to
 * @property {import('../../adapters/contract.js').HopRecord[]} hops  what adapters read of services, the front's too
 * @property {Map<string, import('./hop-records.js').Saying>} said  what each of them said
 * @property {Set<string> | null} failedIds       of requests that failed by the generator's own record; null where it has none
 * @property {Record<string, number>} repeated    how often a node received a request once more
 * @property {import('./counters.js').Increments} increments  counters that can decide
 * @property {import('../joins/joined.js').Passed | null} passed  what passed the wire; null where nothing was recorded
 * @property {import('../../record/types.js').WireGap[]} gaps  what the record of the wire does not have; none where nothing was recorded
 * @property {Record<string, string>} refusals      statuses and names of errors by which the app refuses a request, to the cause
 * @property {import('../read-raw.js').Raw} raw     for what is no rule
 */

/**
 * @param {import('../read-raw.js').Raw} record
 * @param {import('../time/window.js').Window} window
 * @param {import('../joins/joined.js').Passed | null} [passed]  on its wire
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
