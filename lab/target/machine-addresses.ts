import { readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { siteNames, tlsPorts } from '../adapters/site-names.ts';
import { passesOn } from '../adapters/web-servers.ts';
import { readIfThere } from '../base/bounded-file.ts';
import { ownOf } from '../base/values.ts';
import type { AttachedService } from './compose-model.ts';
import { copiesIn } from './dockerfile.ts';
import { hostsInHttp, withoutMachine } from './host-names.ts';
import { filled, hostsInText, storesInCode, withoutComments } from './hosts-in-text.ts';
import { follow, isWithin } from './real-path.ts';

/**
 * Addresses of the user's machine in a load of their own: in a run they are those of the services that the Compose file publishes there
 * (k6/lib/user-addresses.js asks them so).
 */
const ADDRESS = /(https?):\/\/((?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|host\.docker\.internal)(?::(\d+))?)(?=[/?#'"`\s$]|$)/gi;
/** As hosts of a URL are read. */
export const ITSELF = /^(localhost|127(\.\d+){3}|::1|0\.0\.0\.0|host\.docker\.internal)$/;

/** @returns `web:80`, by the port of the machine */
export const placesOnMachine = (models: Pick<AttachedService, 'service' | 'openAt' | 'networkMode'>[]): Record<string, string> =>
	Object.fromEntries(
		models
			.filter(({ networkMode }) => networkMode === '')
			.flatMap(({ service, openAt }) => Object.entries(openAt).map(([port, target]) => [port, `${service}:${target}`])),
	);

/**
 * @param text of a script
 * @returns each once; null: nothing is published there
 */
export function machineAddresses(text: string, places: Record<string, string>): { address: string; place: string | null }[] {
	const found = [...text.matchAll(ADDRESS)].map(([, scheme, address, port]) => {
		const asked = port ?? (scheme.toLowerCase() === 'https' ? '443' : '80');
		return [address, places[asked] ?? null];
	});
	return [...new Map(found as [string, string | null][])].map(([address, place]) => ({ address, place }));
}

/**
 * Who asks whom through a socket of a folder that both have: a proxy is told a path, and the server that listens there has the same volume.
 */
type Sharing = Pick<AttachedService, 'service' | 'dependsOn' | 'mounts'>;

/** `fastcgi_pass unix:/run/php/fpm.sock;`, `server unix:///tmp/app.sock weight=2;` */
const AT_SOCKET = /\bunix:(?:\/\/)?(\/[\w./-]+)/g;

/**
 * @param text of a configuration, without its comments
 * @param model that reads it
 * @returns services; none where several have the folder and it waits for none of them
 */
function serversAtSockets(text: string, model: Sharing, models: Sharing[]): string[] {
	const folders = [...text.matchAll(AT_SOCKET)].flatMap(([, path]) =>
		model.mounts.filter(({ target, source }) => source !== '' && path.startsWith(`${target.replace(/\/$/, '')}/`)),
	);
	return [...new Set(folders.map(({ source }) => source))].flatMap((source) => {
		const sharing = models.filter((other) => other !== model && other.mounts.some((mount) => mount.source === source));
		const awaited = sharing.filter(({ service }) => model.dependsOn.includes(service));
		return (sharing.length === 1 ? sharing : awaited).map(({ service }) => service.toLowerCase());
	});
}

/**
 * Which other services the files of a service name: its configuration (mounted, given by Compose as one or as a secret, copied into its
 * image, or written by its command), and its code, where that lies here. Files are secrets: of them nothing but names of services, of the
 * files themselves, of the sites that a configuration tells apart, and ports, is in what is returned.
 */
export type Mention = {
	/** by which another service is reached */
	host: string;
	/** one clause */
	reason: string;
	/** of a program, which may name what it asks in another case alone */
	isCode: boolean;
	/** it stands in a URL of HTTP */
	isHttp?: boolean;
	/** asked through a socket of a folder that both have */
	isSocket?: boolean;
	/** a host only if it is that of a store */
	isAmbiguous?: boolean;
};

/**
 * hasConfiguration: one was read that is whole, whomever it names; isPassingOn: one of a web server passes requests on to another host; sites: names of hosts that it tells apart; tlsPorts: on which it speaks TLS; files: as in a
 * service that adapters see
 */
export type Named = {
	mentions: Mention[];
	hasConfiguration: boolean;
	isPassingOn: boolean;
	sites: string[];
	tlsPorts: number[];
	files: string[];
};

/** name: of its file */
type Text = { name: string; text: string };

export type Disk = {
	/** null where there is no such text, or a link leads out of that folder: its container would find nothing there */
	read: (path: string, within?: string) => string | null;
	/** of a folder; none where there is none */
	list: (path: string) => { name: string; isFolder: boolean }[];
};

/** A configuration or a source of a program is shorter. */
const BYTES_MOST = 256 << 10;
/** Of a service. `init` takes a second. */
const FILES_MOST = 200;
const ENTRIES_MOST = 5000;
const DEPTH_MOST = 4;
/** Where programs look for their configuration in a container. */
const CONFIGURATION =
	/^\/(etc|config|conf)(\/|$)|\/(etc|conf|config)(\/|$)|\.(conf|cfg|ini|ya?ml|toml|json|properties|xml|template)$|file$/i;
/** Says that a file is no part of one whose rest lies elsewhere. */
const LISTENS = /\b(listen|bind|root|file_server|reverse_proxy|VirtualHost|entryPoints)\b/i;
/** They lie beside configurations, and are none. */
const CERTIFICATE = /^\s*-----BEGIN /;
/** Folders of the machine, whose files say nothing of a system. */
const OF_MACHINE = /^\/($|(bin|boot|dev|etc|lib|lib64|proc|run|sbin|sys|usr)(\/|$)|var\/(lib|log|run)(\/|$)|var\/?$)/;
const CODE =
	/\.(c?js|mjs|tsx?|jsx|py|rb|php|go|java|kt|scala|cs|fs|rs|exs?|clj|pl|lua|ya?ml|json|toml|ini|properties|conf|cfg)$|^\.env(\.(local|development|production))?$/i;
/** They name all services. */
const OF_COMPOSE = /^(docker-)?(compose|stack)[\w.-]*\.ya?ml$|^docker-(compose|stack)|^doubletake\.yaml$/i;
const LOCKED = /(^|[-.])lock\b|-lock\.(json|ya?ml)$/i;
/** Of others, of builds, of tests and of documents. */
const LEFT_OUT =
	/^(\..*|node_modules|vendor|dist|build|target|coverage|venv|__pycache__|reports|tests?|__tests__|specs?|docs?|examples?|deploy|k8s|charts|helm|terraform|ansible|e2e)$/i;

const DISK: Disk = {
	read(path, within = path) {
		if (within !== path && !isWithin(follow(path).real, follow(within).real)) return null;
		const text = readIfThere(path, { mostBytes: BYTES_MOST });
		return text?.includes('\0') ? null : text;
	},
	list(path) {
		try {
			return readdirSync(path, { withFileTypes: true }).map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
		} catch {
			return [];
		}
	},
};

/**
 * @param config as Compose has resolved it, of which they are
 * @returns for a guess alone
 */
export function withNamedFiles(models: AttachedService[], config: any, disk: Disk = DISK): (AttachedService & Named)[] {
	const names = new Set(models.flatMap((model) => model.names.map((name) => name.toLowerCase())));
	const places = placesOnMachine(models);
	const configured = models.flatMap(({ service, mounts }) =>
		mounts.flatMap(({ type, source, target }) => (type === 'bind' && CONFIGURATION.test(target) ? [{ service, source }] : [])),
	);
	return models.map((model) => {
		const mentionsIn = (files: Text[], hostsIn: (text: string) => string[], about: object) =>
			files.flatMap(({ name, text }) => {
				const inHttp = hostsInHttp(text);
				return hostsIn(text)
					.filter((host) => names.has(host))
					.map((host) => ({ host, reason: `named in ${name}`, isCode: true, isHttp: inHttp.includes(host), ...about }));
			});
		const hostsIn = (text: string) => hostsInText(withoutMachine(text, places), model.environment);
		const serversIn = (text: string) => serversAtSockets(withoutComments(text), model, models);
		const configuration = configurationOf(model, config, disk);
		const ofOthers = configured.filter(({ service }) => service !== model.service).map(({ source }) => source);
		const code = codeFolders(model, config).flatMap(({ folder, without }) =>
			textsBelow(folder, disk, { is: isCode, without: [...without, ...ofOthers] }),
		);
		return {
			...model,
			mentions: [
				...mentionsIn(configuration, hostsIn, { isCode: false }),
				...mentionsIn(configuration, serversIn, { isCode: false, isSocket: true }),
				...mentionsIn(code, hostsIn, {}),
				...mentionsIn(code, storesInCode, { isAmbiguous: true }),
			],
			hasConfiguration: configuration.some(({ text }) => LISTENS.test(text)),
			isPassingOn: configuration.some(({ text }) => passesOn(text)),
			sites: [...new Set(configuration.flatMap(({ text }) => siteNames(text)))],
			tlsPorts: [...new Set(configuration.flatMap(({ text }) => tlsPorts(filled(withoutComments(text), model.environment))))],
			files: [...model.laid, ...copiedInto(model, config, disk)],
		};
	});
}

const isCode = (name: string) => CODE.test(name) && !OF_COMPOSE.test(name) && !LOCKED.test(name);

function configurationOf({ service, mounts, command }: AttachedService, config: any, disk: Disk): Text[] {
	const found = ownOf<any>(config.services, service) ?? {};
	const given = (found.configs ?? []).flatMap(({ source, target = source }: { source: string; target?: string }) => {
		const { file, content } = config.configs?.[source] ?? {};
		const text = content ?? (file ? disk.read(file) : null);
		return text === null ? [] : [{ name: file ? basename(file) : `the config ${basename(target)}`, text }];
	});
	const secrets = (found.secrets ?? []).flatMap(({ source }: { source: string }) => {
		const { file } = config.secrets?.[source] ?? {};
		const text = file ? disk.read(file) : null;
		return text === null ? [] : [{ name: `the secret ${source}`, text }];
	});
	const places = [
		...mounts.filter(({ type }) => type === 'bind').map(({ source, target }) => ({ source, target })),
		...copiesOf(found.build, disk),
	];
	const lying = places.flatMap(({ source, target }) => {
		if (!CONFIGURATION.test(target)) return [];
		const text = disk.read(source);
		if (text !== null) return [{ name: basename(source), text }];
		return OF_MACHINE.test(source) ? [] : textsBelow(source, disk, { is: (name) => !OF_COMPOSE.test(name), without: [] });
	});
	// A script may write a whole configuration.
	const written = command.filter((word) => word.includes('\n')).map((text) => ({ name: 'its command', text }));
	return [...given, ...secrets, ...lying, ...written].filter(({ text }) => text.trim() !== '' && !CERTIFICATE.test(text));
}

/** What a Dockerfile copies into the image. */
function copiesOf(build: any, disk: Disk): { source: string; target: string }[] {
	if (!build?.context) return [];
	const text = build.dockerfile_inline ?? disk.read(resolve(build.context, build.dockerfile ?? 'Dockerfile')) ?? '';
	return copiesIn(text).flatMap(({ sources, target }) =>
		sources.flatMap((source) =>
			matching(join(build.context, source), disk)
				// Nothing else is sent to the builder.
				.filter((path) => isWithin(follow(path).real, follow(build.context).real))
				.map((path) => ({ source: path, target: target.endsWith('/') ? `${target}${basename(path)}` : target })),
		),
	);
}

/** Of an image that starts something else than what it is built from, what lies in it may be for a part of it alone. */
const copiedInto: (model: AttachedService, config: any, disk: Disk) => string[] = ({ service, command }, config, disk) =>
	command.length > 0 ? [] : copiesOf(ownOf<any>(config.services, service)?.build, disk).map(({ target }) => target);

/** `conf/*.conf` */
function matching(path: string, disk: Disk): string[] {
	const name = basename(path);
	if (!name.includes('*')) return [path];
	const [before, after] = name.split('*');
	return disk
		.list(dirname(path))
		.filter((entry) => entry.name.startsWith(before) && entry.name.endsWith(after))
		.map((entry) => join(dirname(path), entry.name));
}

/**
 * Where a service's own code lies: in the folder that it is built from, and in those that are mounted over it. Of a folder that several
 * programs are built from nobody knows which of its files are whose; what is mounted as the configuration of another is that one's.
 */
function codeFolders({ service, mounts, context }: AttachedService, config: any): { folder: string; without: string[] }[] {
	const services: [string, any][] = Object.entries(config.services ?? {});
	const recipeOf = ({ dockerfile, target, args, dockerfile_inline: inline }: any = {}) =>
		JSON.stringify([dockerfile, target, args, inline]);
	const built = services.flatMap(([name, { build }]) =>
		build?.context ? [{ name, folder: resolve(build.context), recipe: recipeOf(build) }] : [],
	);
	const own = built.find(({ name }) => name === service);
	const worksIn = String(config.services?.[service]?.working_dir ?? '');
	const isShared = built.some(({ folder, recipe }) => folder === own?.folder && recipe !== own.recipe);
	const mounted = mounts
		.filter(({ type, target, source }) => type === 'bind' && !CONFIGURATION.test(target) && !OF_MACHINE.test(source))
		.map(({ source, target }) => resolve(source, relative(target, worksIn.startsWith(`${target}/`) ? worksIn : target)));
	const contexts = context === '' || isShared ? [] : [resolve(context)];
	const others = built.filter(({ name, folder }) => name !== service && folder !== own?.folder).map(({ folder }) => folder);
	// All programs lie in it, and of them its own.
	const isOfAll = (folder: string) => [contexts, others].every((places) => places.some((place) => place.startsWith(`${folder}/`)));
	const folders = [...new Set([...contexts, ...mounted.filter((folder) => !isOfAll(folder))])];
	return folders.map((folder) => ({ folder, without: others }));
}

/** Breadth first. */
function textsBelow(folder: string, disk: Disk, { is, without }: { is: (name: string) => boolean; without: string[] }): Text[] {
	const texts: Text[] = [];
	let looked = 0;
	let level = [folder];
	for (let depth = 0; depth <= DEPTH_MOST && level.length > 0; depth += 1) {
		const next = [] as string[];
		for (const place of level) {
			for (const { name, isFolder } of disk.list(place)) {
				looked += 1;
				if (texts.length === FILES_MOST || looked > ENTRIES_MOST) return texts;
				const path = join(place, name);
				if (isFolder && !LEFT_OUT.test(name) && !without.includes(path)) next.push(path);
				const text = !isFolder && is(name) && !without.includes(path) ? disk.read(path, folder) : null;
				if (text !== null) texts.push({ name, text });
			}
		}
		level = next;
	}
	return texts;
}
