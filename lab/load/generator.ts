/**
 * The load generator beside a user's system: that of the shipped systems, whose settings stand there alone, with the requests of the
 * user.
 */

import { posix } from 'node:path';
import { RAW } from '../base/paths.ts';
import { entryUrls, type Project, scriptTarget } from '../catalog/project-schema.ts';
import { LISTED, scriptOf } from '../catalog/scenarios.ts';
import { readConfig } from '../docker/compose.ts';
import { labSystem } from '../docker/containers.ts';
import type { RunFolder } from '../docker/scratch.ts';
import { type ClientBehaviour, clientEnvironment, type Settings } from '../options/settings.ts';
import type { CheckedSystem } from '../run/project/checked-system.ts';
import { serviceModels } from '../target/compose-model.ts';
import { placesOnMachine } from '../target/machine-addresses.ts';
import { networkHosts } from '../target/network-names.ts';
import type { Generator } from '../target/overlay.ts';
import { REQUESTS_NAME } from '../target/own-record.ts';
import { insideOnly } from './inside-only.ts';
import { fromWrapper, keptInside, type UserScript } from './user-script.ts';

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
