/**
 * All that the rules may look at. Gathered from the record alone: nothing here tells which architecture or which fault
 * was run.
 */

import type { HopRecord } from '../../adapters/contract.ts';
import { scenarios } from '../../catalog/scenarios.ts';
import type { WireGap } from '../../record/types.js';
import { databasesIn } from '../database-rows.ts';
import type { GeneratorCounts } from '../generator-counts.ts';
import { generatorCounts } from '../generator-counts.ts';
import type { Passed } from '../joins/joined.ts';
import { linedOf, passedIn } from '../joins/joined.ts';
import type { System } from '../measured-system.ts';
import { systemOf } from '../measured-system.ts';
import type { Raw } from '../read-raw.ts';
import { gainedInLoad } from '../time/increments.ts';
import type { PlacedSnapshot } from '../time/seconds.ts';
import { placedOn } from '../time/seconds.ts';
import type { Window } from '../time/window.ts';
import { gapsOf } from '../wire-gaps.ts';
import type { Increments } from './counters.ts';
import { decidingIncrements } from './deciding-increments.ts';
import { entryProxyOf, saidIn } from './entry-proxy.ts';
import type { EntryProxy, Saying } from './hop-records.ts';
import { hopsIn, withHeartbeats } from './hop-records.ts';
import type { Lives } from './lives.ts';
import { livesOf } from './lives.ts';
import type { Logged } from './traces.ts';
import { loggedIn } from './traces.ts';

export type Facts = System & ReturnType<typeof databasesIn> & Lives & Logged & ReturnType<typeof gainedInLoad> & Gathered;

type Gathered = {
	window: Window;
	generator: GeneratorCounts;
	/** k6's error texts, each once a user */
	errorSamples: { code: number; kind: string; error: string }[];
	snapshots: PlacedSnapshot[];
	/** the proxy that users talk to */
	entryProxy: EntryProxy | null;
	/** what adapters read of services, the front's too */
	hops: HopRecord[];
	/** what each of them said */
	said: Map<string, Saying>;
	/** of requests that failed by the generator's own record; null where it has none */
	failedIds: Set<string> | null;
	/** how often a node received a request once more */
	repeated: Record<string, number>;
	/** counters that can decide */
	increments: Increments;
	/** what passed the wire; null where nothing was recorded */
	passed: Passed | null;
	/** what the record of the wire does not have; none where nothing was recorded */
	gaps: WireGap[];
	/** statuses and names of errors by which the app refuses a request, to the cause */
	refusals: Record<string, string>;
	/** for what is no rule */
	raw: Raw;
};

/** @param passed on its wire */
export function gatherFacts(
	record: Raw,
	window: Window,
	passed: Passed | null = record.wire ? passedIn(linedOf(record.wire), window.from, record.failures) : null,
): Facts {
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
