/**
 * Settings of a service that can be raised in a copy: numbers in its environment, in its command, in files that it mounts, and limits that its
 * Compose file gives it. Each is one change to a Compose file, laid over the user's own. Pure: it reads through a function that it is given.
 *
 * @typedef {object} Knob
 * @property {string} name     as it stands in the user's file
 * @property {string} from
 * @property {string} to
 * @property {string} line     where it stands: "services.api.environment.DB_POOL"
 * @property {Record<string, any>} changes  of the service, as a Compose file has them
 * @property {{ source: string, target: string, text: string }} [file]  of which a changed copy is mounted over the service's own
 * @property {'setting' | 'limit' | 'switch'} kind
 */

import { freemem } from 'node:os';
import { IN_FILES, OF_PRODUCTS, SHORT } from '../adapters/known-settings.js';
import { HERE } from '../target/compose-changes.js';

/** A setting that says how many of something there are. */
const CAPACITY =
	/pool|conn(ection)?s?\b|conn_|clients?\b|workers?\b|threads?\b|process(es)?\b|concurrency|children|slots?\b|queue|backlog|max_|maximum|limit|size|heap|cache|buffer/i;
/** One that says for how long an idle connection is kept. */
const KEPT = /keep_?-?alive|idle_?-?time/i;
/** Whatever it is called, more of it is no more room. */
const NO_CAPACITY = /port|version|host|addr|url|uri|secret|password|token|key\b|_id\b|uid|gid|seed|level|debug|retr(y|ies)|user(name)?$/i;
const WHOLE = /^\d{1,9}$/;
/** Large enough that a limit which binds no longer does, and small enough that most services still start. The proof's own choices. */
const TIMES = 8;
/** Most proxies keep an idle connection for a minute; 120 times a second is longer. */
const TIMES_KEPT = 120;
const MEMORY_TIMES = 4;
const ON_OFF = Object.freeze({ 0: '1', 1: '0', true: 'false', false: 'true', on: 'off', off: 'on', yes: 'no', no: 'yes' });
/** https://docs.kernel.org/networking/ip-sysctl.html */
const PORTS = 'net.ipv4.ip_local_port_range';
const ALL_PORTS = '1024 65535';

/** @param {string} name */
const timesOf = (name) => (KEPT.test(name) ? TIMES_KEPT : TIMES);

/** @param {string} name @param {string} value */
const isCapacity = (name, value) =>
	WHOLE.test(value) && Number(value) > 0 && (CAPACITY.test(name) || KEPT.test(name)) && !NO_CAPACITY.test(name);

/** @type {(name: string, value: string) => string} */
const raised = (name, value) => String(Number(value) * timesOf(name));

/**
 * @param {string} service
 * @param {any} found  the service as Compose has resolved it
 * @param {{ product: string, read: (path: string) => string | null }} about  read: a file of this machine, null where it is none that can be read
 * @returns {Knob[]} each once, those that the user's files name first
 */
export const knobsOf = (service, found, { product, read }) => [
	...ofEnvironment(service, found),
	...ofCommand(service, found),
	...ofFiles(found, read),
	...ofProduct(service, found, product),
	...limitsOf(service, found),
	...switchesOf(service, found),
];

/** @type {(service: string, found: any) => Knob[]} */
const ofEnvironment = (service, { environment = {} }) =>
	Object.entries(environment)
		.filter(([name, value]) => isCapacity(name, String(value)))
		.map(([name, value]) => {
			const to = raised(name, String(value));
			return {
				...{ name, from: String(value), to, kind: 'setting' },
				line: `services.${service}.environment.${name}`,
				changes: { environment: { [name]: to } },
			};
		});

/** Words that turn something on or off, of which nobody knows what. Tried last. @type {(service: string, found: any) => Knob[]} */
const switchesOf = (service, { environment = {} }) =>
	Object.entries(environment)
		.filter(
			([name, value]) =>
				Object.hasOwn(ON_OFF, String(value).toLowerCase()) && !isCapacity(name, String(value)) && !/DONTWRITE|BUFFERED|DEBUG/i.test(name),
		)
		.map(([name, value]) => {
			const to = ON_OFF[/** @type {keyof typeof ON_OFF} */ (String(value).toLowerCase())];
			return {
				...{ name, from: String(value), to, kind: 'switch' },
				line: `services.${service}.environment.${name}`,
				changes: { environment: { [name]: to } },
			};
		});

/** A flag and its number, in one word or in two: `--workers 2`, `--workers=2`, `-w 2`, `-c pool_size=100`. */
const FLAG = /^(--?[a-z][\w-]*|[a-z_]*(?:max|pool|worker|conn)[a-z_]*)$/i;
const JOINED = /^(--?[a-z][\w-]*|[a-z_]+)=(\d{1,9})$/i;
/** @type {(service: string, found: any) => Knob[]} */
function ofCommand(service, { command, entrypoint }) {
	const key = Array.isArray(command) && command.length > 0 ? 'command' : 'entrypoint';
	/** @type {string[]} */
	const words = (key === 'command' ? command : entrypoint) ?? [];
	const shorts = Object.entries(SHORT).flatMap(([program, flags]) => (words.some((word) => String(word).includes(program)) ? flags : []));
	const isFlag = (/** @type {string} */ flag, /** @type {string} */ value) =>
		shorts.includes(flag) || (FLAG.test(flag) && flag.length > 2 && isCapacity(flag, value));
	/** @type {(name: string, from: string, changed: string[]) => Knob} */
	const knob = (name, from, changed) => ({
		...{ name, from, to: raised(name, from), kind: 'setting' },
		line: `services.${service}.${key}: ${name}`,
		changes: { [key]: changed },
	});
	const made = words.flatMap((word, index) => {
		const next = String(words[index + 1] ?? '');
		const [, joined = '', value = ''] = JOINED.exec(word) ?? [];
		if (joined !== '' && isCapacity(joined, value)) return [knob(joined, value, words.with(index, `${joined}=${raised(joined, value)}`))];
		if (WHOLE.test(next) && isFlag(word, next)) return [knob(word, next, words.with(index + 1, raised(word, next)))];
		return [];
	});
	return made.length > 0 ? made : inShell(words, knob, isFlag);
}

const IN_TEXT = /(--?[a-z][\w-]*)([ =])(\d{1,9})(?![\w.])/gi;

/** Of a command in one text for a shell. @type {(words: string[], knob: (name: string, from: string, changed: string[]) => Knob, isFlag: (flag: string, value: string) => boolean) => Knob[]} */
const inShell = (words, knob, isFlag) =>
	words.flatMap((word, index) =>
		[...String(word).matchAll(IN_TEXT)]
			.filter(([, flag, , value]) => String(word).includes(' ') && isFlag(flag, value))
			.map((match) => {
				const [whole, flag, between, value] = match;
				const text = `${word.slice(0, match.index)}${flag}${between}${raised(flag, value)}${word.slice(match.index + whole.length)}`;
				return knob(flag, value, words.with(index, text));
			}),
	);

/** @type {(found: any, read: (path: string) => string | null) => Knob[]} */
const ofFiles = ({ volumes = [] }, read) =>
	volumes
		.filter((/** @type {any} */ { type, source }) => type === 'bind' && source)
		.flatMap((/** @type {any} */ { source, target }) => {
			const text = read(source);
			return text === null ? [] : IN_FILES.flatMap((pattern) => inFile({ source, target, text, pattern }));
		});

/** @type {(given: { source: string, target: string, text: string, pattern: RegExp }) => Knob[]} */
function inFile({ source, target, text, pattern }) {
	const match = pattern.exec(text);
	if (!match?.groups) return [];
	const { before, name, value } = match.groups;
	const to = raised(name, value);
	const at = match.index + before.length;
	const line = text.slice(0, at).split('\n').length;
	return [
		{
			...{ name, from: value, to, kind: 'setting', changes: {} },
			line: `${source.split('/').at(-1)}, line ${line}: ${name}`,
			file: { source, target, text: text.slice(0, at) + to + text.slice(at + value.length) },
		},
	];
}

/** @type {(service: string, found: any, product: string) => Knob[]} */
function ofProduct(service, { command, entrypoint, image = '' }, product) {
	const known = OF_PRODUCTS.find((one) => one.product.test(product) || one.product.test(image));
	const words = (command ?? []).map(String);
	if (known === undefined || entrypoint || words.some((/** @type {string} */ word) => /max[-_]connections/.test(word))) return [];
	const isServer = words.length === 0 || known.program.test(words[0]) || words[0].startsWith('-');
	if (!isServer) return [];
	const to = String(known.standard * TIMES);
	const begin = words.length === 0 ? known.begin : words;
	return [
		{
			...{ name: known.name, from: String(known.standard), to, kind: 'setting' },
			line: `services.${service}.command: ${known.name} (the product's own unless given)`,
			changes: { command: [...begin, ...known.flags(to)] },
		},
	];
}

const BYTES = /^(\d+(?:\.\d+)?)([bkmgt]?)b?$/i;
const UNITS = { '': 1, b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** @param {unknown} text @returns {number} NaN where it is none */
function bytesOf(text) {
	const [, amount, unit] = BYTES.exec(String(text)) ?? [];
	return Number(amount) * UNITS[/** @type {keyof typeof UNITS} */ ((unit ?? '').toLowerCase())];
}

/** What the Compose file keeps it from having more of. @type {(service: string, found: any) => Knob[]} */
function limitsOf(service, found) {
	const at = `services.${service}`;
	const limits = found.deploy?.resources?.limits ?? {};
	/** @type {Knob[]} */
	const made = [];
	const add = (/** @type {Omit<Knob, 'kind'>} */ knob) => void made.push({ ...knob, kind: 'limit' });
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

/** @param {number} bytes */
const inMib = (bytes) => `${Math.round(bytes / 2 ** 20)} MiB`;
