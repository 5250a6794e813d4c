/**
 * Settings of a service that can be raised in a copy: numbers in its environment, in its command, in files that it mounts, what its image has of
 * these, and limits that its Compose file gives it. Each is one change to a Compose file, laid over the user's own. Pure: it reads through
 * functions that it is given.
 */

import { freemem } from 'node:os';
import { basename, posix } from 'node:path';
import type { Unset } from '../adapters/known-settings.ts';
import { IN_FILES, IN_LINES, IN_WORDS, OWN_LIMITS, SETTINGS_FILE, SHORT, UNSET_IN_FILES } from '../adapters/known-settings.ts';
import { HERE } from '../target/compose-changes.ts';
import type { ReadVariable } from './read-variables.ts';

export type Knob = {
	/** as it stands in the user's file */
	name: string;
	from: string;
	to: string;
	/** where it stands: "services.api.environment.DB_POOL" */
	line: string;
	/** of the service, as a Compose file has them */
	changes: Record<string, any>;
	/** of which a changed copy is mounted over the service's own; was: its text as it is */
	file?: { source: string; target: string; text: string; was: string };
	kind: 'setting' | 'limit' | 'switch';
	/** nobody gave it: the product has it by itself */
	isUnset?: boolean;
};

/** what the image of a service has of its own */
export type ImageView = {
	environment: Record<string, string>;
	entrypoint: string[];
	command: string[];
	/** texts of known files of settings, by path */
	files: Record<string, string>;
};

export type About = {
	product: string;
	image: ImageView;
	/** a file of this machine, null where it is none that can be read */
	read: (path: string) => string | null;
	/** names of the files of a folder of this machine; none where it is no folder */
	list: (path: string) => string[];
	/** that sources there read */
	variables: (places: string[]) => ReadVariable[];
};

/** A setting that says how many of something there are. */
const CAPACITY =
	/pool|conn(ection)?s?\b|conn_|clients?\b|workers?\b|threads?\b|process(es)?\b|concurrency|children|slots?\b|queue|backlog|max_|maximum|limit|size|heap|cache|buffer/i;
/** One that says for how long an idle connection is kept. */
const KEPT = /keep_?-?alive|idle_?-?time/i;
/** Whatever it is called, more of it is no more room. */
const NO_CAPACITY =
	/port|version|host|addr|url|uri|secret|password|token|key\b|_id\b|uid|gid|seed|level|debug|retr(y|ies)|user(name)?$|[_-](ms|s|secs?|seconds|minutes)$/i;
const WHOLE = /^\d{1,9}$/;
/** Words of a command, among which its program stands: `tini -- node server.js`, `python -m uvicorn`. The proof's own choice. */
const PROGRAM_WITHIN = 4;
/** Large enough that a limit which binds no longer does, and small enough that most services still start. The proof's own choices. */
const TIMES = 8;
/** Most proxies keep an idle connection for a minute; 120 times a second is longer. */
const TIMES_KEPT = 120;
const MEMORY_TIMES = 4;
const HEAP = /Xmx|old[-_]space/;
/** Of a number that is not known: more than most programs have by themselves, and less than most services behind them allow. */
const UNKNOWN = '64';
const ON_OFF = Object.freeze({ 0: '1', 1: '0', true: 'false', false: 'true', on: 'off', off: 'on', yes: 'no', no: 'yes' });
/** https://docs.kernel.org/networking/ip-sysctl.html */
const PORTS = 'net.ipv4.ip_local_port_range';
const ALL_PORTS = '1024 65535';

const timesOf = (name: string) => (KEPT.test(name) ? TIMES_KEPT : TIMES);

const isCapacity = (name: string, value: string) =>
	WHOLE.test(value) && Number(value) > 0 && (CAPACITY.test(name) || KEPT.test(name)) && !NO_CAPACITY.test(name);

const raised: (name: string, value: string) => string = (name, value) => String(Number(value) * timesOf(name));

/** Of an image that is not known. */
export const NO_IMAGE: ImageView = { environment: {}, entrypoint: [], command: [], files: {} };

/**
 * @param found the service as Compose has resolved it
 * @returns each once, those that the user's files name first
 */
export function knobsOf(service: string, found: any, about: About): Knob[] {
	const limits = limitsOf(service, found);
	return [
		...[...ofEnvironment(service, found, about.image), ...commandsOf(service, found, about.image).flatMap(ofCommand)].map(withRoom(limits)),
		...ofFiles(service, found, about),
		...ofProduct(service, found, about),
		...ofSource(service, found, about),
		...limits,
		...switchesOf(service, found),
	];
}

/** A larger heap needs the memory for it: the limit of the container is lifted with it. */
const withRoom: (limits: Knob[]) => (knob: Knob) => Knob = (limits) => (knob) => {
	const memory = limits.find(({ name }) => name === 'memory');
	return memory === undefined || !HEAP.test(knob.name) ? knob : { ...knob, changes: { ...memory.changes, ...knob.changes } };
};

const ofEnvironment: (service: string, found: any, image: ImageView) => Knob[] = (service, { environment }, image) => {
	const own = Object.entries<any>(environment ?? {}).map(([name, value]) => ({
		...{ name, value: String(value ?? '') },
		line: `services.${service}.environment.${name}`,
	}));
	const others = Object.entries(image.environment)
		.filter(([name]) => !Object.hasOwn(environment ?? {}, name))
		.map(([name, value]) => ({ name, value, line: `the image of ${service}: ENV ${name}` }));
	return [...own, ...others].flatMap(({ name, value, line }) => {
		const change = (to: string) => ({ environment: { [name]: to } });
		if (isCapacity(name, value)) {
			const to = raised(name, value);
			return [{ ...{ name, from: value, to, kind: 'setting' as const }, line, changes: change(to) }];
		}
		return inWords(value).map(({ name: part, from, to, text }) => ({
			...{ name: `${part} in ${name}`, from, to, kind: 'setting' as const },
			line,
			changes: change(text),
		}));
	});
};

/** text: with that one raised */
const inWords: (text: string) => { name: string; from: string; to: string; text: string }[] = (text) =>
	IN_WORDS.flatMap((pattern) => {
		const match = pattern.exec(text);
		if (!match?.groups) return [];
		const { before, name, value } = match.groups;
		const at = match.index + before.length;
		const to = String(Number(value) * (HEAP.test(name) ? MEMORY_TIMES : TIMES));
		return [{ name: name.replace(/^-+/, ''), from: value, to, text: text.slice(0, at) + to + text.slice(at + value.length) }];
	});

/** A number of something, or what makes a program say more. */
const NO_SWITCH = /DONTWRITE|BUFFERED|DEBUG|_ID$|_PORT$/i;

/** Words that turn something on or off, of which nobody knows what. Tried last. */
const switchesOf: (service: string, found: any) => Knob[] = (service, { environment = {} }) =>
	Object.entries<any>(environment)
		.filter(
			([name, value]) => Object.hasOwn(ON_OFF, String(value).toLowerCase()) && !isCapacity(name, String(value)) && !NO_SWITCH.test(name),
		)
		.map(([name, value]) => {
			const to = ON_OFF[String(value).toLowerCase() as keyof typeof ON_OFF];
			return {
				...{ name, from: String(value), to, kind: 'switch' },
				line: `services.${service}.environment.${name}`,
				changes: { environment: { [name]: to } },
			};
		});

/** A flag and its number, in one word or in two: `--workers 2`, `--workers=2`, `-w 2`, `-c pool_size=100`. */
const FLAG = /^(--?[a-z][\w-]*|[a-z_]*(?:max|pool|worker|conn)[a-z_]*)$/i;
const JOINED = /^(--?[a-z][\w-]*|[a-z_]+)=(\d{1,9})$/i;

/** words of a command that can be given otherwise */
type Started = {
	words: string[];
	/** where they stand, for a reader */
	at: string;
	change: (changed: string[]) => Record<string, any>;
};

function commandsOf(service: string, { command, entrypoint }: any, image: ImageView): Started[] {
	const own = (key: 'command' | 'entrypoint', words: unknown[]) => ({
		...{ words: words.map(String), at: `services.${service}.${key}` },
		change: (changed: string[]) => ({ [key]: changed }),
	});
	if (command?.length > 0) return [own('command', command)];
	if (entrypoint?.length > 0) return [own('entrypoint', entrypoint)];
	const ofImage = `the image of ${service}`;
	return [
		{ words: image.command, at: `${ofImage}: CMD`, change: (changed) => ({ command: changed }) },
		// Who gives an entrypoint takes the image's command away.
		{ words: image.entrypoint, at: `${ofImage}: ENTRYPOINT`, change: (changed) => ({ entrypoint: changed, command: image.command }) },
	];
}

function ofCommand({ words, at, change }: Started): Knob[] {
	const shorts = Object.entries(SHORT).flatMap(([program, flags]) => (words.some((word) => word.includes(program)) ? flags : []));
	const isFlag = (flag: string, value: string) => shorts.includes(flag) || (FLAG.test(flag) && flag.length > 2 && isCapacity(flag, value));
	const knob: (given: { name: string; from: string; to?: string }, changed: string[]) => Knob = (
		{ name, from, to = raised(name, from) },
		changed,
	) => ({
		...{ name, from, to, kind: 'setting' },
		line: `${at}: ${name}`,
		changes: change(changed),
	});
	const made = words.flatMap((word, index) => {
		const next = words[index + 1] ?? '';
		const [, joined = '', value = ''] = JOINED.exec(word) ?? [];
		if (joined !== '' && isCapacity(joined, value))
			return [knob({ name: joined, from: value }, words.with(index, `${joined}=${raised(joined, value)}`))];
		if (WHOLE.test(next) && isFlag(word, next)) return [knob({ name: word, from: next }, words.with(index + 1, raised(word, next)))];
		return inWords(word).map(({ text, ...part }) => knob(part, words.with(index, text)));
	});
	return made.length > 0 ? made : inShell(words, (name, from, changed) => knob({ name, from }, changed), isFlag);
}

const IN_TEXT = /(--?[a-z][\w-]*)([ =])(\d{1,9})(?![\w.])/gi;

/** Of a command in one text for a shell. */
const inShell: (
	words: string[],
	knob: (name: string, from: string, changed: string[]) => Knob,
	isFlag: (flag: string, value: string) => boolean,
) => Knob[] = (words, knob, isFlag) =>
	words.flatMap((word, index) =>
		[...word.matchAll(IN_TEXT)]
			.filter(([, flag, , value]) => word.includes(' ') && isFlag(flag, value))
			.map((match) => {
				const [whole, flag, between, value] = match;
				const text = `${word.slice(0, match.index)}${flag}${between}${raised(flag, value)}${word.slice(match.index + whole.length)}`;
				return knob(flag, value, words.with(index, text));
			}),
	);

/** source: its name for a reader and for a copy of it; at: where it lies */
type SettingsFile = { text: string; source: string; target: string; at: string };

function ofFiles(service: string, { volumes = [], image: named = '' }: any, { product, image, read, list }: About): Knob[] {
	const mounted: SettingsFile[] = volumes
		.filter(({ type, source }: any) => type === 'bind' && source)
		.flatMap(({ source, target }: any) => [
			{ source, target },
			...list(source)
				.filter((name) => SETTINGS_FILE.test(name))
				.map((name) => ({ source: posix.join(source, name), target: posix.join(target, name) })),
		])
		.flatMap((file: { source: string; target: string }) => {
			const text = read(file.source);
			return text === null ? [] : [{ ...file, text, at: basename(file.source) }];
		});
	const isCovered = (path: string) =>
		volumes.some(({ target = '' }: any) => path === target || path.startsWith(`${target.replace(/\/$/, '')}/`));
	const ofImage = Object.entries(image.files)
		.filter(([path]) => !isCovered(path))
		.map(([path, text]) => ({ source: path, target: path, text, at: `${path} in the image of ${service}` }));
	const files = [...mounted, ...ofImage];
	const unset = UNSET_IN_FILES.filter((one) => one.product.test(product) || one.product.test(named));
	return [...files.flatMap(inFile), ...unset.flatMap((one) => inNoFile(one, files))];
}

/** What none of the files says, said in the one that fits best. */
function inNoFile({ name, standard, to, more, within }: Unset, files: SettingsFile[]): Knob[] {
	if (files.some(({ text }) => text.includes(name))) return [];
	const [place] = within
		.flatMap((pattern) => files.flatMap((file) => ({ file, match: pattern.exec(file.text) })))
		.filter(({ match }) => match !== null);
	if (place === undefined) return [];
	const { source, target, text, at } = place.file;
	const [{ 0: block, index }] = [place.match as RegExpExecArray];
	const end = index + block.length;
	return [
		{
			...{ name, from: standard, to, kind: 'setting', isUnset: true, changes: {} },
			line: `${at}, ${block.trim().replace(/\s*\{$/, '')}: ${name} (not set)`,
			file: {
				...{ source, target, was: text },
				text: `${text.slice(0, end)} ${name} ${to};${more === undefined ? '' : ` ${more}`}${text.slice(end)}`,
			},
		},
	];
}

/** each setting of it once */
function inFile({ source, target, text, at }: SettingsFile): Knob[] {
	const known = IN_FILES.map((pattern) => pattern.exec(text)).filter((match) => match !== null);
	const lines = SETTINGS_FILE.test(source) ? [...text.matchAll(IN_LINES)] : [];
	const named = lines.filter(({ groups }) => isCapacity(groups?.name ?? '', groups?.value ?? ''));
	const made: Map<number, Knob> = new Map();
	for (const { groups = {}, index } of [...known, ...named]) {
		const { before, name, value } = groups;
		const begin = index + before.length;
		const to = raised(name, value);
		const line = text.slice(0, begin).split('\n').length;
		if (!made.has(begin))
			made.set(begin, {
				...{ name, from: value, to, kind: 'setting', changes: {} },
				line: `${at}, line ${line}: ${name}`,
				file: { source, target, was: text, text: text.slice(0, begin) + to + text.slice(begin + value.length) },
			});
	}
	return [...made.values()];
}

/** What nobody set and its own source asks for. */
function ofSource(service: string, { volumes = [], build, environment }: any, { image, variables }: About): Knob[] {
	const mounted = volumes.flatMap(({ type, source }: any) => (type === 'bind' && source ? [source] : []));
	const given = { ...image.environment, ...environment };
	return variables([...mounted, ...(build?.context ? [build.context] : [])])
		.filter(
			({ name, standard, turns }) => !Object.hasOwn(given, name) && (turns ? !NO_SWITCH.test(name) : isCapacity(name, standard ?? UNKNOWN)),
		)
		.map(({ name, standard, turns, at }) => {
			const to = turns ?? (standard === null ? UNKNOWN : raised(name, standard));
			const own = turns === undefined ? (standard ?? 'its own number') : 'unset';
			return {
				...{ name, from: own, to, kind: turns === undefined ? 'setting' : 'switch', isUnset: true },
				line: `services.${service}.environment.${name} (not set; read in ${at})`,
				changes: { environment: { [name]: to } },
			};
		});
}

function ofProduct(service: string, found: any, { product, image }: About): Knob[] {
	const [{ words, at, change }] = commandsOf(service, found, image);
	const environment = { ...image.environment, ...found.environment };
	const isSet = (set: RegExp) =>
		[...image.entrypoint, ...words, ...Object.entries<any>(environment).map(([name, value]) => `${name}=${value}`)].some((word) =>
			set.test(word),
		);
	const starts = (program: RegExp) => [...image.entrypoint, ...words].slice(0, PROGRAM_WITHIN).some((word) => program.test(word));
	return OWN_LIMITS.flatMap((limit) => {
		const isOfProduct = limit.product?.test(product) || limit.product?.test(found.image ?? '');
		const isBare = words.length === 0 || words[0].startsWith('-');
		const isServer = limit.product === undefined ? starts(limit.program) : isOfProduct && (isBare || limit.program.test(words[0]));
		if (!isServer || isSet(limit.set) || (limit.flags && found.entrypoint)) return [];
		const own = {
			name: limit.name,
			from: String(limit.standard),
			to: String(limit.to),
			kind: 'setting' as const,
			isUnset: true,
		};
		if (limit.flags) {
			const begin = words.length === 0 ? (limit.begin ?? []) : words;
			const place = words.length === 0 ? `services.${service}.command` : at;
			return [{ ...own, line: `${place}: ${limit.name} (the product's own unless given)`, changes: change([...begin, ...limit.flags]) }];
		}
		const [[name, value]] = Object.entries(limit.environment ?? {});
		// What somebody set there would be gone: two things at a time.
		if (Object.hasOwn(environment, name)) return [];
		return [{ ...own, line: `services.${service}.environment.${name} (not set)`, changes: { environment: { [name]: value } } }];
	});
}

const BYTES = /^(\d+(?:\.\d+)?)([bkmgt]?)b?$/i;
const UNITS = { '': 1, b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** @returns NaN where it is none */
function bytesOf(text: unknown): number {
	const [, amount, unit] = BYTES.exec(String(text)) ?? [];
	return Number(amount) * UNITS[(unit ?? '').toLowerCase() as keyof typeof UNITS];
}

/** What the Compose file keeps it from having more of. */
function limitsOf(service: string, found: any): Knob[] {
	const at = `services.${service}`;
	const limits = found.deploy?.resources?.limits ?? {};
	const made: Knob[] = [];
	const add = (knob: Omit<Knob, 'kind'>) => void made.push({ ...knob, kind: 'limit' });
	const memory = bytesOf(found.mem_limit ?? limits.memory);
	const more = Math.min(memory * MEMORY_TIMES, memory + freemem() / 2);
	if (memory > 0 && more > memory) {
		const isDeployed = found.mem_limit === undefined;
		const to = String(Math.floor(more));
		add({
			...{
				name: 'memory',
				from: inMib(memory),
				to: inMib(more),
				line: isDeployed ? `${at}.deploy.resources.limits.memory` : `${at}.mem_limit`,
			},
			changes: {
				...(isDeployed ? { deploy: { resources: { limits: { memory: to } } } } : { mem_limit: to }),
				...(found.memswap_limit === undefined ? {} : { memswap_limit: -1 }),
			},
		});
	}
	const cores = Number(found.cpus ?? limits.cpus ?? Number.NaN);
	if (cores > 0 && cores < HERE.cores) {
		const isDeployed = found.cpus === undefined;
		const to = String(Math.min(HERE.cores, cores * TIMES));
		add({
			...{ name: 'cpus', from: String(cores), to, line: isDeployed ? `${at}.deploy.resources.limits.cpus` : `${at}.cpus` },
			changes: isDeployed ? { deploy: { resources: { limits: { cpus: to } } } } : { cpus: to },
		});
	}
	const pids = Number(found.pids_limit ?? limits.pids ?? Number.NaN);
	if (pids > 0)
		add({
			...{ name: 'pids', from: String(pids), to: String(pids * TIMES), line: `${at}.pids_limit` },
			changes: limits.pids === undefined ? { pids_limit: pids * TIMES } : { deploy: { resources: { limits: { pids: pids * TIMES } } } },
		});
	const files = found.ulimits?.nofile;
	const soft = Number(files?.soft ?? files ?? Number.NaN);
	if (soft > 0)
		add({
			...{ name: 'nofile', from: String(soft), to: String(soft * TIMES), line: `${at}.ulimits.nofile` },
			changes: { ulimits: { nofile: { soft: soft * TIMES, hard: Math.max(soft * TIMES, Number(files?.hard ?? 0)) } } },
		});
	const ports = found.sysctls?.[PORTS];
	if (ports !== undefined)
		add({
			...{ name: 'local ports', from: String(ports), to: ALL_PORTS, line: `${at}.sysctls: ${PORTS}` },
			changes: { sysctls: { [PORTS]: ALL_PORTS } },
		});
	for (const mount of [found.tmpfs ?? []].flat()) {
		const [path, options = ''] = String(mount).split(/:(.*)/s);
		const [, size] = /(?:^|,)size=(\w+)/.exec(options) ?? [];
		const bytes = bytesOf(size);
		if (bytes > 0)
			add({
				...{ name: `tmpfs ${path}`, from: inMib(bytes), to: inMib(bytes * TIMES), line: `${at}.tmpfs: ${path}` },
				changes: {
					tmpfs: [found.tmpfs].flat().map((one) => (one === mount ? String(one).replace(/size=\w+/, `size=${bytes * TIMES}`) : one)),
				},
			});
	}
	const shared = bytesOf(found.shm_size);
	if (shared > 0)
		add({
			...{ name: 'shm_size', from: inMib(shared), to: inMib(shared * TIMES), line: `${at}.shm_size` },
			changes: { shm_size: String(shared * TIMES) },
		});
	return made;
}

const inMib = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
