/** By which host names the load asks entries that send requests on by them: a proxy that finds its servers answers no other ones. */

import type { Route } from '../adapters/found-servers.ts';
import { portOfImage } from '../adapters/well-known.ts';
import { inWords, ownOf } from '../base/values.ts';
import { isPlaceholder, placeholderFor, urlOfHost } from '../catalog/project-schema.ts';
import type { ChosenLoad } from './chosen-load.ts';
import type { AttachedService } from './compose-model.ts';
import type { Detections } from './detect.ts';
import { reachableFrom } from './entry.ts';

type Routed = {
	/** names with the URLs of their entries, of each entry what needs most others first */
	hosts: Record<string, string>;
	/** that is served by such a host, where that is not all of it */
	paths: Record<string, string>;
	/** that is served by the first entry, whatever the host */
	path: string;
	/** a clause for each entry */
	texts: string[];
	/** what to tell of a k6 script; empty where there is nothing to tell */
	script: string;
};

const NAMED_MOST = 4;
/** Of an entry, so many are asked. */
const HOSTS_MOST = 8;

export function routedHosts({
	detections,
	routes,
	sites = {},
}: {
	detections: Detections;
	routes: Route[];
	/** by service, the names that its configuration tells apart */
	sites?: Record<string, string[]>;
}): Routed {
	const entries = detections.entry === null ? [] : [detections.entry, ...detections.more];
	const all = entries.map(({ service, url }) => {
		const own = routes.filter(({ from }) => from === service).toSorted((one, other) => needOf(other, detections) - needOf(one, detections));
		return { service, url, own, ...askedOf(own, ownOf(sites, service) ?? [], detections) };
	});
	const paths = all.flatMap(({ own }) => own.flatMap(({ hosts: [host], paths: [path] }) => (host && path !== '/' ? [[host, path]] : [])));
	const pairs = all.flatMap(({ url, asked }) => asked.map(({ host }) => [host, url]));
	const reported = all.filter(({ asked }) => asked.length > 0);
	return {
		hosts: Object.fromEntries(pairs.filter(([host], at) => pairs.findIndex(([other]) => other === host) === at)),
		paths: Object.fromEntries(paths),
		path: all[0]?.own[0]?.paths[0] ?? '/',
		texts: reported.map(
			({ service, asked, others }) => `${service} sends requests on by their Host: the load asks it by ${named(asked)}${listed(others)}`,
		),
		script: reported
			.map(({ service, asked: [{ host, to }] }) => `${service} sends requests on by their Host: let it send one, such as ${host}${to}`)
			.join('; '),
	};
}

/** to: the service behind it in brackets, with a blank before; empty where that is not known */
type Name = { host: string; to: string };

/**
 * @param own of an entry, what needs most others first
 * @returns others: names besides, with what is behind them
 */
function askedOf(own: Route[], sites: string[], detections: Detections): { asked: Name[]; others: string[] } {
	const byRoute = own.flatMap(({ to, hosts }) =>
		hosts.map((host, index) => ({ host, to: ` (${to})`, isFirst: index === 0 && isAsked(to, detections) })),
	);
	// One name alone needs no telling apart.
	const bySite = sites.length < 2 ? [] : sites.map((host) => ({ host, to: '', isFirst: true }));
	const all = [...new Map([...bySite, ...byRoute].map((one) => [one.host, one])).values()];
	const first = all.filter(({ isFirst }) => isFirst);
	const asked = (first.length > 0 ? first : all.slice(0, 1)).slice(0, HOSTS_MOST);
	return { asked, others: all.filter((one) => !asked.includes(one)).map(({ host, to }) => `${host}${to}`) };
}

export function withRoutes(
	{ load, said }: ChosenLoad,
	{ hosts, paths, path, texts, script }: Routed,
	entry: string | string[],
): ChosenLoad {
	if (load.script !== undefined)
		return { load, said: script === '' ? said : [...said, `? ${script.replace('let it', `let ${load.script}`)}.`] };
	const reported = [...said, ...texts.map((text) => `${text}.`)];
	if (!isPlaceholder({ entry, load })) return { load, said: reported };
	const { urls = [] } = placeholderFor({ entry, hosts });
	const [first] = Object.keys(hosts);
	const firstPath = first === undefined ? path : (paths[first] ?? '/');
	const below = Object.fromEntries(Object.entries(paths).map(([host, own]) => [`GET ${urlOfHost(host, ownOf(hosts, host) ?? '')}`, own]));
	const served = urls.map((url, index) => (index === 0 ? `GET ${firstPath}` : below[url] ? `${url.slice(0, -1)}${below[url]}` : url));
	return { load: { ...load, urls: served }, said: reported };
}

/** How many others a request to it may need; what no request is meant for comes last. */
function needOf({ to, hosts }: Route, detections: Detections) {
	return isAsked(to, detections) ? reachableFrom(to, detections.edges).size + (hosts.length > 0 ? 0.5 : 0) : -1;
}

const isAsked = (service: string, { services }: Detections) => (services.find((one) => one.service === service)?.tier ?? null) !== null;

const named = (names: Name[]) => inWords(names.map(({ host, to }) => `${host}${to}`));

function listed(others: string[]) {
	if (others.length === 0) return '';
	const more = others.length > NAMED_MOST ? ` and ${others.length - NAMED_MOST} more` : '';
	return `; others are ${others.slice(0, NAMED_MOST).join(', ')}${more}`;
}

/**
 * Ports on which services listen by what else a file says of them, where nothing is published or exposed: a proxy of the machine is told
 * the port by labels or variables, a health check asks it, a variable sets it. Pure.
 *
 */

/** Names of labels and variables whose value is the port of the service itself. */
const PORT_LABEL = /(^|\.)server\.port$|(^|\.)port$/i;
const PORT_VARIABLE = /^(virtual_port|((app|http|server|web|listen|node)_)?port)$/i;
/** Labels that are written in another proxy's words: `{{upstreams 3000}}`. */
const UPSTREAMS = /\{\{\s*upstreams(?:\s+[a-z]+)?\s+(\d{1,5})\s*\}\}/i;
const CHECKED = /(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]):(\d{1,5})\b/g;
const PORT_MOST = 65_535;

/**
 * @param config as Compose has resolved it, of which they are
 * @returns with ports where one is reported, the surest first; what the file itself says stays
 */
export const withDeclaredPorts = (models: AttachedService[], config: any): AttachedService[] =>
	models.map((model) => (model.ports.length > 0 ? model : { ...model, ports: portsOf(model, config.services?.[model.service] ?? {}) }));

function portsOf({ environment, image }: AttachedService, { labels = {}, healthcheck }: any): number[] {
	const reported: [string, unknown][] = Object.entries<any>(labels);
	const check = [healthcheck?.test ?? []].flat().join(' ');
	const all = [
		...reported.filter(([name]) => PORT_LABEL.test(name)).map(([, value]) => value),
		...reported.map(([, value]) => UPSTREAMS.exec(String(value).replaceAll('$$', '$'))?.[1]),
		...Object.entries(environment).flatMap(([name, value]) => (PORT_VARIABLE.test(name) ? [value] : [])),
		...[...check.matchAll(CHECKED)].map(([, port]) => port),
		portOfImage(image),
	].map(Number);
	return [...new Set(all.filter((port) => Number.isInteger(port) && port > 0 && port <= PORT_MOST))].slice(0, 1);
}
