/**
 * The load generator beside a user's system: that of the shipped systems, whose settings stand there alone, with the requests of the
 * user.
 */

import { posix } from 'node:path';
import { RAW } from '../base/paths.ts';
import type { Project } from '../catalog/project-schema.ts';
import { entryUrls, scriptTarget } from '../catalog/project-schema.ts';
import { LISTED, scriptOf } from '../catalog/scenarios.ts';
import { readConfig } from '../docker/compose.ts';
import { labSystem } from '../docker/containers.ts';
import type { RunFolder } from '../docker/scratch.ts';
import type { ClientBehaviour, Settings } from '../options/settings.ts';
import { clientEnvironment } from '../options/settings.ts';
import type { CheckedSystem } from '../run/project/checked-system.ts';
import { serviceModels } from '../target/compose-model.ts';
import { networkHosts } from '../target/describe.ts';
import { REQUESTS_NAME } from '../target/generators.ts';
import { placesOnMachine } from '../target/machine-addresses.ts';
import type { Generator } from '../target/overlay.ts';
import type { UserScript } from './user-script.ts';
import { fromWrapper, keptInside } from './user-script.ts';

/*
 * Where the load of a user's script may go: to private addresses, which containers have. A redirect to the public address of a site is
 * followed by k6 unless told otherwise, and that site must not get the load.
 */

/** All of IPv4 but what RFC 1918, 3927, 6598 and 1122 keep for private, local and shared use, and of IPv6 what is global. */
const PUBLIC = [
	...['1.0.0.0/8', '2.0.0.0/7', '4.0.0.0/6', '8.0.0.0/7', '11.0.0.0/8', '12.0.0.0/6', '16.0.0.0/4', '32.0.0.0/3', '64.0.0.0/3'],
	...['96.0.0.0/6', '100.0.0.0/10', '100.128.0.0/9', '101.0.0.0/8', '102.0.0.0/7', '104.0.0.0/5', '112.0.0.0/5', '120.0.0.0/6'],
	...['124.0.0.0/7', '126.0.0.0/8', '128.0.0.0/3', '160.0.0.0/5', '168.0.0.0/8', '169.0.0.0/9', '169.128.0.0/10', '169.192.0.0/11'],
	...['169.224.0.0/12', '169.240.0.0/13', '169.248.0.0/14', '169.252.0.0/15', '169.255.0.0/16', '170.0.0.0/7', '172.0.0.0/12'],
	...['172.32.0.0/11', '172.64.0.0/10', '172.128.0.0/9', '173.0.0.0/8', '174.0.0.0/7', '176.0.0.0/4', '192.0.0.0/9', '192.128.0.0/11'],
	...['192.160.0.0/13', '192.169.0.0/16', '192.170.0.0/15', '192.172.0.0/14', '192.176.0.0/12', '192.192.0.0/10', '193.0.0.0/8'],
	...['194.0.0.0/7', '196.0.0.0/6', '200.0.0.0/5', '208.0.0.0/4', '2000::/3'],
];

/**
 * Of k6, before the name of the script. What is given here stands in the place of the script's own list.
 * @param script blocked: ranges that it blocks itself
 */
const insideOnly = ({ isInside, blocked = [] }: { isInside?: boolean; blocked?: string[] }): string[] =>
	isInside ? [...new Set([...PUBLIC, ...blocked])].flatMap((range) => ['--blacklist-ip', range]) : [];

const SERVICE = 'k6';
const PROFILE = 'load';
/** Those of a k6 that the lab has no part in. */
const PLAIN_SERVICE = 'k6-plain';
const PLAIN_PROFILE = 'plain-load';
const PLAIN_SCENARIO = 'plain-requests';
/** What the lab sets of k6 itself, and of the runtime that it is written in. */
const OF_K6 = /^(K6_|GO)/;
/** In the container. */
const REQUESTS_FILE = '/requests.json';
const REQUESTS = { source: `raw:${REQUESTS_NAME}`, target: REQUESTS_FILE, readOnly: true };

type Mount = Generator['mounts'][number];

type Wanted = {
	image: string;
	/** URL at which the paths of the requests begin */
	target: string;
	/** key of k6/lib/shapes.js */
	shape: string;
	users: number;
	thinkTimeS: number;
	/** after how many seconds the load is cut; null: not */
	cutS?: number | null;
	/** at the top of an open load */
	rate?: number | null;
	/** null: users wait for 60 s and try nothing again */
	client?: ClientBehaviour | null;
	/** that make the load together; one unless given */
	generators?: number;
	seed: number;
	/** k6's own page */
	dashboard: boolean;
	/** uid:gid that may write into the record */
	user: string;
	/** that every request is sent with; nowhere else than in the generator's environment */
	headers?: Record<string, string>;
	/** of the run, in the ids that its system is to store */
	mark: string;
	/** good answers to what is to be stored are written down by these */
	integrity?: boolean;
	/** what is published at the ports of the machine */
	places?: Record<string, string>;
	/** names by which users ask what is published there */
	hosts?: string[];
	/** of the user's own, in place of the requests */
	script?: UserScript | null;
};

const generatorFor = async (wanted: Wanted): Promise<Generator> => ({
	...generatorOf(await settingsOf(wanted), wanted),
	page: wanted.dashboard,
	parts: wanted.generators,
});

/** Of a run. */
export const projectGeneratorFor = ({
	checked: { load, users, thinkTimeS, cutS, rate, client, generators, headers, mark, copy, models },
	project,
	settings,
	run: { user },
	image,
	script,
}: {
	checked: Pick<
		CheckedSystem,
		'load' | 'users' | 'thinkTimeS' | 'cutS' | 'rate' | 'client' | 'generators' | 'headers' | 'mark' | 'copy' | 'models'
	>;
	project: Project;
	settings: Pick<Settings, 'seed' | 'dashboard' | 'integrity'>;
	run: Pick<RunFolder, 'user'>;
	image: string;
	script: UserScript | null;
}) => {
	const { seed, dashboard } = settings;
	const target = entryUrls(project)[0];
	return generatorFor({
		image,
		target,
		shape: load,
		...{ users, thinkTimeS, cutS, rate, client, generators },
		seed,
		dashboard,
		user,
		headers,
		mark,
		integrity: settings.integrity,
		script: keptInside(script, copy.config),
		places: placesOnMachine(models),
		hosts: networkHosts(project),
	});
};

/** The same load, from a k6 as anybody would start it: without ids, counters or log. */
export const plainGeneratorFor = async (wanted: Wanted): Promise<Generator> => plainGeneratorOf(await settingsOf(wanted), wanted);

const settingsOf = ({ image, shape, target, thinkTimeS, cutS = null, rate = null, client = null, dashboard, script }: Wanted) =>
	readConfig(labSystem([PROFILE, PLAIN_PROFILE]), {
		K6_IMAGE: image,
		...scriptOf(LISTED),
		PLAIN_SCENARIO,
		SHAPE: shape,
		TARGET: script ? scriptTarget(target) : target,
		THINK_TIME_S: String(thinkTimeS),
		// Empty where they are not set, so that none of the shell's comes in.
		RATE: rate === null ? '' : String(rate),
		CUT_S: cutS === null ? '' : String(cutS),
		...clientEnvironment(client),
		K6_WEB_DASHBOARD: String(dashboard),
	});

/** @param config of the shipped systems as Compose resolved it */
function generatorOf(
	{ services }: { services: Record<string, any> },
	{
		places = {},
		hosts = [],
		script = null,
		user,
		...wanted
	}: Pick<Wanted, 'users' | 'seed' | 'user' | 'headers' | 'mark' | 'integrity' | 'places' | 'hosts' | 'script'>,
): Generator {
	const { image, command, environment, scripts, record } = partsOf(services, SERVICE);
	const shared = [...scripts, record];
	if (script)
		return {
			image,
			user,
			entrypoint: ['sh'],
			folder: script.folder,
			command: ['-c', fromWrapper(['run', '--quiet', ...insideOnly(script)].join(' '))],
			// Its thresholds are the user's, and are judged.
			environment: {
				...environment,
				...OWN_CERTIFICATES,
				K6_NO_THRESHOLDS: 'false',
				...addressesFor(script, places, hosts),
			},
			mounts: [...shared, ...(script.mounts ?? [])],
		};
	return {
		image,
		user,
		command,
		environment: { ...environment, ...listedIn(wanted) },
		mounts: [...shared, REQUESTS],
	};
}

/**
 * A script of the user's own is run as it is. It finds in its environment what it finds with the lab; its summary k6 writes by itself.
 * @param config of the shipped systems as Compose resolved it
 */
function plainGeneratorOf(
	{ services }: { services: Record<string, any> },
	{ script = null, user, ...wanted }: Pick<Wanted, 'users' | 'seed' | 'user' | 'headers' | 'mark' | 'script'>,
): Generator {
	const { image, command, environment: plain, scripts, record } = partsOf(services, PLAIN_SERVICE);
	const seen = Object.entries(partsOf(services, SERVICE).environment).filter(([name]) => !OF_K6.test(name));
	const environment = { ...Object.fromEntries(seen), ...plain };
	if (script)
		return {
			image,
			user,
			folder: script.folder,
			command: ['run', '--quiet', ...insideOnly(script), '--summary-export', posix.join(record.target, RAW.k6Summary), script.entry],
			environment: { ...environment, ...OWN_CERTIFICATES },
			mounts: [record, ...script.places],
		};
	return {
		image,
		user,
		command,
		environment: { ...environment, ...listedIn(wanted) },
		mounts: [...scripts, record, REQUESTS],
	};
}

/**
 * What of the machine it asks, and what is behind that in the run.
 * known: hosts
 * by which the network knows an entry
 */
function addressesFor({ asksMachine, hosts = {} }: UserScript, places: Record<string, string>, known: string[]): Record<string, string> {
	const named = { ...hosts, ...Object.fromEntries(known.filter((host) => hosts[host] === undefined).map((host) => [host, null])) };
	const isNamed = Object.keys(named).length > 0;
	return asksMachine || isNamed
		? { LOCAL_ADDRESSES: JSON.stringify(places), ...(isNamed ? { LOCAL_HOSTS: JSON.stringify(named) } : {}) }
		: {};
}

/** A service's own certificate is not for the name that it has here. https://grafana.com/docs/k6/latest/using-k6/k6-options/reference/ */
const OWN_CERTIFICATES = { K6_INSECURE_SKIP_TLS_VERIFY: 'true' };

/** What the requests of a list are sent by. */
const listedIn: (wanted: Pick<Wanted, 'users' | 'seed' | 'headers' | 'mark' | 'integrity'>) => Record<string, string> = ({
	users,
	seed,
	headers = {},
	mark,
	integrity = false,
}) => ({
	USERS: String(users),
	SEED: String(seed),
	REQUESTS_FILE,
	REQUEST_HEADERS: JSON.stringify(headers),
	REQUEST_MARK: mark,
	// Empty where it is not asked for, so that none of the shell's comes in.
	INTEGRITY: integrity ? '1' : '',
});

function partsOf(
	services: Record<string, any>,
	service: string,
): Pick<Generator, 'image' | 'environment'> & { command: string[]; scripts: Mount[]; record: Mount } {
	const [{ image, command, environment, mounts }] = serviceModels({ services: { [service]: services[service] } });
	const target = mounts.find(({ readOnly }) => !readOnly)?.target ?? environment.RECORD_FOLDER;
	return {
		image,
		command,
		environment,
		scripts: mounts.filter(({ readOnly }) => readOnly).map(({ source, target: place }) => ({ source, target: place, readOnly: true })),
		record: { source: 'raw:', target, readOnly: false },
	};
}
