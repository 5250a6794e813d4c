/**
 * Services that a run leaves out: they could do harm, and no request needs them, as a page that manages containers or one that updates
 * them. Who only waits for one of them to be well does not wait then.
 */

import { type Changes, override, reset } from './compose-changes.ts';
import type { Danger } from './dangers.ts';

/** That nobody names. */
const PROFILE = 'doubletake-left-out';

/**
 * @param config as Compose has resolved it
 * @param onTheWay services that requests pass: the entry, and who asks whom
 * @returns services
 */
export function leftOut(dangers: Danger[], { services = {} }: { services?: Record<string, any> }, onTheWay: Iterable<string>): string[] {
	const grave = new Set(dangers.filter(({ severity }) => severity === 'refuse').map(({ service }) => service));
	const needed = new Set(onTheWay);
	const staying = Object.keys(services).filter((service) => !grave.has(service) || needed.has(service));
	// A set gives what is added while it is walked: who stays needs others, and these need others again.
	const stays = new Set(staying);
	for (const service of stays) for (const other of neededBy(services[service])) stays.add(other);
	return Object.keys(services).filter((service) => !stays.has(service));
}

/**
 * Without which it could not be there; that another is up first is no need.
 * @param found of a service
 */
function neededBy({ network_mode: network = '', pid = '', ipc = '', volumes_from: volumes = [], links = [] }: any = {}): string[] {
	const lending = [network, pid, ipc].flatMap((mode) => (mode.startsWith('service:') ? [mode.slice('service:'.length)] : []));
	const named = [...volumes, ...links].map((text) => String(text).split(':')[0]);
	return [...lending, ...named];
}

/**
 * @param services that are left out
 * @param config as Compose has resolved it
 */
export const withoutServices = (services: string[], config: { services?: Record<string, any> }): Changes =>
	services.length === 0
		? {}
		: {
				services: Object.fromEntries([
					...services.map((service) => [service, { profiles: override([PROFILE]) }]),
					...waitersFor(services, config).map(([waiter, kept]) => [
						waiter,
						{ depends_on: Object.keys(kept).length > 0 ? override(kept) : reset() },
					]),
				]),
			};

/** Who stays and waits for one that is left out, with what it waits for then. */
const waitersFor: (services: string[], config: { services?: Record<string, any> }) => [string, object][] = (without, { services = {} }) =>
	Object.entries(services).flatMap(([service, { depends_on: depends = {} }]) => {
		const kept = Object.entries<any>(depends).filter(([name]) => !without.includes(name));
		const isFree = without.includes(service) || kept.length === Object.keys(depends).length;
		return isFree ? [] : [[service, Object.fromEntries(kept)] as [string, object]];
	});

/**
 * @param config as Compose has resolved it
 * @returns a sentence for each
 */
export const aboutLeftOut = (services: string[], dangers: Danger[], config: { services?: Record<string, any> }): string[] =>
	services.map((name) => {
		const what = dangers.filter(({ service, severity }) => service === name && severity === 'refuse').map((danger) => danger.what);
		const waiting = waitersFor([name], config)
			.map(([service]) => service)
			.filter((service) => !services.includes(service));
		const alone =
			waiting.length === 0 ? '' : `; ${waiting.join(', ')}, which would wait for it, ${waiting.length === 1 ? 'starts' : 'start'} without`;
		return `${name}: left out of the run, because it ${what.join(' and ')}, and no request needs it${alone}.`;
	});
