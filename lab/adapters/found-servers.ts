/**
 * Proxies that find their servers by the engine's socket: which service is one, and whom it sends what, as labels and variables of its
 * servers say.
 */

import { parse } from 'yaml';
import type { Tier } from '../base/tier.ts';
import type { Detection, ServiceModel } from './contract.ts';
import { imagePath } from './proxy-detection.ts';
import { imageName, lastPart, programsOf, SHELLS } from './recognise.ts';

export type Labelled = ServiceModel & { labels: Record<string, string>; published: number[]; looksInto?: string[] };

/** hosts: none where any will do; paths: `/` where nothing else is said */
type Asked = { hosts: string[]; paths: string[] };

export type Route = {
	/** service of the proxy */
	from: string;
	/** service that it sends requests to */
	to: string;
	/** by which users ask for it; none where any will do */
	hosts: string[];
	/** that are served, the first for a beginning */
	paths: string[];
	/** one clause */
	reason: string;
};

type Scheme = {
	/** it is a proxy that reads these, or has them read for it */
	finds: (proxy: Labelled, models: Labelled[]) => boolean;
	/** null: nothing says that it is a server */
	asked: (server: Labelled, about: { proxy: Labelled; project: string }) => Asked | null;
	reason: string;
};

/** what tells a product; a program is the last part of its path */
export type Marks = {
	/** names of images, without registry, owner and tag */
	images: RegExp;
	programs: RegExp;
	/** programs of the same images that ask the product and do not run it ("psql -f seed.sql") */
	clients: RegExp;
	ports: number[];
	/** folders in which it keeps its data, and no other product does */
	data?: RegExp;
};

export function detectMarked(tier: Tier, service: ServiceModel, marks: Marks): Detection | null {
	const reason = markIn(service, marks);
	return reason === null ? null : { tier, reason };
}

/** @returns in one clause; null where it is another product */
function markIn({ image, command, ports, mounts }: ServiceModel, marks: Marks): string | null {
	const programs = programsOf(command);
	if (programs.some((program) => marks.clients.test(program))) return null;
	if (marks.images.test(imageName(image))) return `image ${image}`;
	const program = programs.find((name) => marks.programs.test(name));
	if (program !== undefined) return `command ${program}`;
	if (programs.length > 0) return null;
	const kept = mounts.find(({ target, readOnly }) => !readOnly && marks.data?.test(target));
	// An image that has it all, a site and its store, lets users in.
	if (kept !== undefined && ports.every((number) => marks.ports.includes(number))) return `it keeps its data at ${kept.target}`;
	if (image !== '') return null;
	const port = ports.find((number) => marks.ports.includes(number));
	return port === undefined ? null : `port ${port}`;
}

/** Programs that ask a store, which the images of stores have beside it. */
const CLIENTS =
	/^(mysql|mariadb|mongo|mongosh|mysqlsh|psql|cqlsh|influx|sqlcmd|sqlplus|(create|drop|vacuum|reindex)db|(rabbitmq|etcd)ctl|kafka-(acls|configs|console-\w+|topics))$|([-_]|mysql|mongo|maria|pg)(cli|client|dump(all)?|admin|restore|import|export|backup|basebackup|isready|bench(mark)?|check)$/;
/** What a shell does itself, or with the usual tools: no server starts so. */
const TOOLS =
	/^(:|\[|\.|awk|aws|cat|cd|chmod|chown|cp|crond?|crontab|curl|date|echo|exit|export|false|find|grep|g(un)?zip|head|kill|ls|mkdir|mv|nc|ping|printf|rclone|read|rm|sed|set|shift|sleep|supercronic|tail|tar|tee|test|touch|trap|true|wait|wget|xargs)$/;
/** A script that an image starts its own program with. */
const ENTRY_SCRIPT = /(^|[-_])(entry-?point|start|run)([-_]|$)/;

export const isClient = (program: string) => CLIENTS.test(program);

/**
 * Of a service whose image is a store's, whether its command does something else: it asks one, waits, or is a script by whose name it is a job.
 * @param command entrypoint and command together
 * @param isJob by a name, without its ending
 * @returns what says so, in one clause; null where it may start the store
 */
export function runsNoServer(command: string[], isJob: (name: string) => boolean): string | null {
	const programs = programsOf(command);
	// A script may start the store in the end, unless it says what else it is; what is given a program runs that.
	const bare = programs.length > 0 ? /[^\s'"]+\.sh(?=['"]?\s*(?:$|[;&|)\n]))/g : /[^\s'"]+\.sh\b/g;
	const scripts = (command.join(' ').match(bare) ?? []).map((path) => lastPart(path).slice(0, -'.sh'.length));
	const others = scripts.filter((name) => !ENTRY_SCRIPT.test(name));
	const isBeside = (name: string) => isClient(name) || isJob(name);
	if (others.length < scripts.length && programs.length > 0) return null;
	if (!others.every(isBeside) || !programs.every((program) => isClient(program) || TOOLS.test(program))) return null;
	const client = [...programs, ...others].find(isClient);
	if (client !== undefined) return `it runs ${client}, a client`;
	if (others.length > 0) return `it runs ${others[0]}.sh, by its name a job`;
	if (programs.length > 0) return `it runs ${programs[0]}, no server`;
	return SHELLS.has(lastPart(command.at(-1) ?? '')) ? 'it runs a shell' : null;
}

/** Of what is mounted; that of containerd speaks another language. */
export const ENGINE_API_SOCKET = /\/(docker|podman)\.sock$/;
/** Passes on to others what the engine's socket says. */
const RELAY = /(^|[/-])(socket-?proxy|dockerproxy)$/;
/** Variables by which servers say what they are to be sent; of others nobody needs to know what they hold. */
const ROUTING =
	/^(VIRTUAL_\w+|LETSENCRYPT_HOST|CERT_NAME|HTTPS?_(METHOD|PORT)|HSTS|SSL_POLICY|NETWORK_ACCESS|SERVER_TOKENS|DEFAULT_HOST|ENABLE_HTTP[23]|NON_GET_REDIRECT|LOADBALANCE|SERVICE_(\d+_)?(NAME|TAGS|IGNORE))$/;

/** @param name of a variable */
export const routesBy = (name: string) => ROUTING.test(name);

export const relaysSocket = (model: Pick<Labelled, 'service' | 'image' | 'mounts'>) =>
	hasSocket(model) && (RELAY.test(imagePath(model.image)) || RELAY.test(model.service));

/** Writes the configuration of a proxy that is another container, from what the engine's socket says. */
const GENERATOR = /(^|[/-])docker-?gen$/;

export const writesRoutes = (model: Pick<Labelled, 'image' | 'command' | 'mounts'>) =>
	hasSocket(model) && (GENERATOR.test(imagePath(model.image)) || programsOf(model.command).some((program) => GENERATOR.test(program)));

/** What it writes lies where the proxy reads it. */
function isWrittenFor(proxy: Labelled, models: Labelled[]): boolean {
	const places = ({ mounts }: Labelled) => mounts.filter(({ source }) => source !== '' && !ENGINE_API_SOCKET.test(source));
	return (
		proxy.published.length > 0 &&
		models.some(
			(model) =>
				model !== proxy &&
				writesRoutes(model) &&
				(model.looksInto?.includes(proxy.service) ||
					places(model).some(({ source }) => places(proxy).some((other) => other.source === source))),
		)
	);
}

const hasSocket = ({ mounts }: Pick<Labelled, 'mounts'>) => mounts.some(({ source }) => ENGINE_API_SOCKET.test(source));

const SCHEMES: Scheme[] = [
	{
		reason: 'found by its labels',
		finds: ({ image, command }) => /(^|\/)traefik$/.test(imagePath(image)) || programsOf(command).includes('traefik'),
		asked: byRouters,
	},
	{
		reason: 'found by its VIRTUAL_HOST',
		finds: (proxy, models) => /(^|\/)nginx-proxy$/.test(imagePath(proxy.image)) || isWrittenFor(proxy, models),
		asked: ({ environment }) => byVirtualHost(environment),
	},
	{
		reason: 'found by its labels',
		finds: ({ image, command, environment }) =>
			/(^|\/)caddy-docker-proxy$/.test(imagePath(image)) || command.includes('docker-proxy') || 'CADDY_INGRESS_NETWORKS' in environment,
		asked: ({ labels }) => bySites(labels),
	},
];

/**
 * @param project Compose's name of it, which names by default are made of
 * @returns of each proxy
 */
export function routesIn(models: Labelled[], project: string = ''): Route[] {
	return SCHEMES.flatMap(({ finds, asked, reason }) =>
		proxiesAmong(models, finds).flatMap((proxy) =>
			models.flatMap((server) => {
				const found = server === proxy ? null : asked(server, { proxy, project });
				return found === null ? [] : [{ from: proxy.service, to: server.service, ...found, reason }];
			}),
		),
	);
}

/** Of a program that nobody knows its socket says that it is one. */
function proxiesAmong(models: Labelled[], finds: Scheme['finds']): Labelled[] {
	const known = models.filter((model) => finds(model, models));
	if (known.length > 0) return known;
	return models.filter((model) => model.published.length > 0 && hasSocket(model) && !SCHEMES.some((scheme) => scheme.finds(model, models)));
}

/** https://doc.traefik.io/traefik/routing/routers/ and, of its first version, https://doc.traefik.io/traefik/v1.7/basics/ */
const ROUTER = /^traefik\.(?:http\.routers\.([^.]+)|frontend)\.rule$/i;
const OF_ITSELF = /@internal$/;
const MATCHER = /(?<!!)\b(Host|Path|PathPrefix)(?:\(([^)]*)\)|:([^;]*))/gi;
/** Of a rule that a server does not have, the default. */
const BY_NAME = /\{\{\s*(?:normalize\s+)?\.Name\s*\}\}/g;
const DEFAULT_RULE = 'Host(`{{ normalize .Name }}`)';

function byRouters(
	{ service, labels }: Parameters<Scheme['asked']>[0],
	{ proxy, project }: Parameters<Scheme['asked']>[1],
): ReturnType<Scheme['asked']> {
	const own = Object.entries(labels).filter(([name]) => /^traefik\./i.test(name));
	const labelOf = (wanted: string) => own.find(([name]) => name.toLowerCase() === wanted.toLowerCase())?.[1];
	if (own.length === 0 || labelOf('traefik.enable') === 'false') return null;
	const isTcpAlone = own.some(([name]) => /^traefik\.tcp\./i.test(name)) && !own.some(([name]) => /^traefik\.http\./i.test(name));
	if (isTcpAlone) return { hosts: [], paths: ['/'] };
	const rules = own.flatMap(([name, rule]) => {
		const [found, router] = ROUTER.exec(name) ?? [];
		return found === undefined || OF_ITSELF.test(labelOf(`traefik.http.routers.${router}.service`) ?? '') ? [] : [rule];
	});
	if (rules.length > 0) return inRules(rules);
	const written = foundServersOptionOf(proxy, 'providers.docker.defaultrule') ?? DEFAULT_RULE;
	const name = `${service}-${project}`.replaceAll(/[^a-z\d]+/gi, '-');
	return inRules([written.replaceAll(BY_NAME, name)]);
}

function foundServersOptionOf({ command, environment }: Labelled, wanted: string): string | undefined {
	const word = command.find((one) => one.toLowerCase().startsWith(`--${wanted}=`));
	return word?.slice(wanted.length + 3) ?? environment[`TRAEFIK_${wanted.toUpperCase().replaceAll('.', '_')}`];
}

function inRules(rules: string[]): Asked {
	const found = rules.flatMap((rule) =>
		[...rule.matchAll(MATCHER)].flatMap(([, matcher, quoted, plain]) =>
			(quoted ?? plain).split(',').map((text) => ({ isHost: /^host$/i.test(matcher), text: text.trim().replace(/^[`"']|[`"']$/g, '') })),
		),
	);
	return asked(
		found.filter(({ isHost }) => isHost).map(({ text }) => text),
		found.filter(({ isHost }) => !isHost).map(({ text }) => text),
	);
}

/** https://github.com/nginx-proxy/nginx-proxy/tree/main/docs */
function byVirtualHost({
	VIRTUAL_HOST: hosts = '',
	VIRTUAL_PATH: path = '/',
	VIRTUAL_HOST_MULTIPORTS: several = '',
}: Record<string, string>): Asked | null {
	if (hosts === '' && several === '') return null;
	const listed: [string, object][] = several === '' ? [] : Object.entries(parse(several, { logLevel: 'silent' }) ?? {});
	return asked(
		[...hosts.split(','), ...listed.map(([host]) => host)],
		[...(hosts === '' ? [] : [path]), ...listed.flatMap(([, one]) => Object.keys(one ?? {}))],
	);
}

/** https://github.com/lucaslorentz/caddy-docker-proxy#labels-to-caddyfile-conversion */
const SITE = /^caddy(_\d+)?$/;
const MATCHED = /^caddy(_\d+)?\.(\d+_)?(handle|handle_path|route|reverse_proxy)(_\d+)?$/;

function bySites(labels: Record<string, string>): Asked | null {
	const sites = Object.entries(labels).filter(([name, value]) => SITE.test(name) && !value.startsWith('('));
	if (sites.length === 0) return null;
	const addresses = sites.flatMap(([, value]) => value.split(/[\s,]+/)).map((address) => address.replace(/^https?:\/\//, ''));
	const matched = Object.entries(labels).flatMap(([name, value]) =>
		MATCHED.test(name) && value.startsWith('/') ? [value.split(/\s/)[0]] : [],
	);
	return asked(
		addresses.map((address) => address.replace(/[:/].*$/, '')),
		matched,
	);
}

/** What stands for many names is one of them; what is an expression is none. */
function asked(hosts: string[], paths: string[]): Asked {
	const plain = hosts.map((host) => host.trim().replace(/^\*\./, 'www.').toLowerCase()).filter((host) => /^[a-z\d][a-z\d.-]*$/.test(host));
	const begun = paths.map((path) => path.replace(/\*.*$/, '')).filter((path) => /^\/[\w./~-]*$/.test(path));
	return { hosts: [...new Set(plain)], paths: begun.length === 0 ? ['/'] : [...new Set(begun)] };
}
