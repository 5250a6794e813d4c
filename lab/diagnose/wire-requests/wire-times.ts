/**
 * Where the time of good answers went by the wire alone, in the form in which services tell it (../time/hop-times.ts): a part for each service that
 * requests pass. What a service asked that cannot be read is in the service's own part, and its label says so.
 */

import type { TimeLedger, Wire, WireTime } from '../../record/types.js';
import type { Tenure } from '../../wire/record.ts';
import type { Facts } from '../ledger/facts.ts';
import { partOf, type Sums, timesOf } from './times.ts';
import type { Trees } from './trees.ts';

type Part = TimeLedger['parts'][number];

/**
 * @returns null where
 * no good request was recorded
 */
export function wireTimesOf(
	trees: Trees | null,
	wire: Wire | null,
	{ raw, window, tiers }: Pick<Facts, 'raw' | 'window' | 'tiers'>,
): { reported: WireTime; parts: Part[]; bySecond: Map<number, Sums> } | null {
	if (trees === null || wire === null || !raw.wire) return null;
	const services = servicesOf(raw.wire.services);
	const hosts = new Map((wire.outside ?? []).flatMap(({ addresses, name }) => addresses.map((address) => [address, name || address])));
	const serviceOf = (name: string) => services.get(name) ?? hosts.get(name) ?? name;
	const tierOf = (service: string) => {
		const tier = tiers.get(service) as string | undefined;
		// Whom requests pass watches nothing, whatever the file says.
		return tier === 'observer' ? 'app' : ((tier ?? 'outside') as Part['tier']);
	};
	const times = timesOf(trees, window, { serviceOf, tierOf });
	if (times === null) return null;
	const parts = times.reported.services.map(({ service, tier }) => ({
		id: partOf(service),
		label: `${partOf(service)}${behindText(unreadBehind(wire, service, serviceOf))}`,
		tier,
		waits: false,
	}));
	return { ...times, parts };
}

/**
 * Containers of one service are one; any other has the name that its figures have.
 * @returns by their names
 */
function servicesOf(tenures: Tenure[]): Map<string, string> {
	const all = new Map(tenures.map(({ name, service }) => [name, service]));
	const isShared = (service: string) => [...all.values()].filter((other) => other === service).length > 1;
	return new Map([...all].filter(([, service]) => isShared(service)));
}

/** Whom it asked in a way that is not read. */
function unreadBehind({ edges }: Wire, service: string, serviceOf: (name: string) => string) {
	const unread = edges.filter(
		({ from, calls, unknown_bytes: unknown, hidden_bytes: hidden }) => serviceOf(from) === service && calls === 0 && unknown + hidden > 0,
	);
	return [...new Set(unread.map(({ to }) => serviceOf(to)))];
}

const behindText = (names: string[]) => (names.length > 0 ? `, ${names.join(', ')} behind it included` : '');
