/**
 * Faults that a user puts into a run at moments of its load, such as `FAULT='pause app-1@20s+5s; kill app-2@30s'`. Unlike those of the
 * self-test they are on the record and in the report. No rule of the diagnosis reads them: it has to find out by itself.
 */
import { NotReadyError } from '../base/errors.ts';
import { instead } from '../base/nearest.ts';

export type Kind = 'kill' | 'stop' | 'restart' | 'pause' | 'cpu' | 'cut' | 'loss' | 'delay' | 'update' | 'drain';

export type PlannedFault = {
	/** as it is spelt, without needless blanks */
	text: string;
	kind: Kind;
	/** the name of a container's figures; of `drain` that of a host */
	service: string;
	/** of `cpu` */
	cores: number | null;
	/** of `cpu`, in the place of cores: of what the container may use, 0 to 1; of `loss`: of the packets */
	share: number | null;
	/** of `delay`: added to each round trip */
	delay_ms: number | null;
	/** of `cut`, `loss` and `delay`: the container at the other end of the way */
	other: string | null;
	/** from the start of the load */
	at_s: number;
	/** until it is undone; null where nothing undoes it */
	lasts_s: number | null;
};

/** what came of it; seconds since 1970 */
type Put = {
	began_s: number | null;
	/** undone, or over by itself */
	ended_s: number | null;
	/** of those times, without what putting in and undoing took */
	in_force_s?: [number, number];
	/** why it could not be put in, or not be undone, as a clause */
	failed: string | null;
};

export type PutFault = PlannedFault & Put;

type Form = {
	/** an example */
	spelt: string;
	about: string;
	/** what stands after the service */
	arguments: (keyof typeof ARGUMENTS)[];
	/** whether a length is given */
	lasts: 'none' | 'may' | 'must';
	/** whether a Swarm has it: it starts another container where one ended */
	onSwarm: 'as it is' | 'without a length' | 'not' | 'only';
};

export const FORMS: Record<Kind, Form> = {
	kill: {
		spelt: 'kill app-2@30s',
		about: 'killed with SIGKILL; with a length (`+5s`) started again after it',
		arguments: [],
		lasts: 'may',
		onSwarm: 'without a length',
	},
	stop: {
		spelt: 'stop app-2@30s+5s',
		about: 'told to stop, as for a new version; with a length started again after it',
		arguments: [],
		lasts: 'may',
		onSwarm: 'without a length',
	},
	restart: {
		spelt: 'restart app-1@40s',
		about: 'told to stop, and started again as soon as it has',
		arguments: [],
		lasts: 'none',
		onSwarm: 'not',
	},
	pause: { spelt: 'pause app-1@20s+5s', about: 'its processes stand still', arguments: [], lasts: 'must', onSwarm: 'as it is' },
	cpu: {
		spelt: 'cpu app-1 0.4@20s+10s',
		about: 'it may use so many cores and no more',
		arguments: ['cores'],
		lasts: 'must',
		onSwarm: 'as it is',
	},
	cut: { spelt: 'cut app-1 db@20s+10s', about: 'no packet passes between the two', arguments: ['other'], lasts: 'must', onSwarm: 'not' },
	loss: {
		spelt: 'loss app-1 db 5%@20s+10s',
		about: 'so many of the packets between the two are lost, in each direction',
		arguments: ['other', 'packets'],
		lasts: 'must',
		onSwarm: 'not',
	},
	delay: {
		spelt: 'delay app-1 db 100ms@20s+10s',
		about: 'a round trip between the two takes so much longer',
		arguments: ['other', 'milliseconds'],
		lasts: 'must',
		onSwarm: 'not',
	},
	update: {
		spelt: 'update app-1@20s',
		about: 'on a Swarm: replaced by a new container, as for a new version',
		arguments: [],
		lasts: 'none',
		onSwarm: 'only',
	},
	drain: {
		spelt: 'drain host2@20s+15s',
		about: 'on a Swarm: a host gives up its containers, which start on others',
		arguments: [],
		lasts: 'must',
		onSwarm: 'only',
	},
};

const ITEM =
	/^(?<kind>[a-z]+)\s+(?<service>[^\s@]+)(?<words>(?:\s+[^\s@]+)*)\s*@\s*(?<at>\d+(?:\.\d+)?)\s*s?(?:\s*\+\s*(?<lasts>\d+(?:\.\d+)?)\s*s?)?$/;
/** The engine's own: it takes no less than a hundredth of a core. */
const CORES_LEAST = 0.01;
const PERCENT = /^(\d+(?:\.\d+)?)%$/;
const MILLISECONDS = /^(\d+(?:\.\d+)?)ms$/;

/** what stands after the service */
type Given = Pick<PlannedFault, 'cores' | 'share' | 'delay_ms' | 'other'>;

const NOTHING: Given = { cores: null, share: null, delay_ms: null, other: null };

/** What a word after the service means; null where it means nothing, then with what is expected. */
type Argument = { read: (word: string) => Partial<Given> | null; expected: string };

const ARGUMENTS = {
	other: { read: (word) => ({ other: word }), expected: 'another service' } as Argument,
	cores: {
		read: (word) => (PERCENT.test(word) ? shareIn(word) : Number(word) >= CORES_LEAST ? { cores: Number(word) } : null),
		expected: `at least ${CORES_LEAST} cores, or above 0% and below 100% of what it may use,`,
	} as Argument,
	packets: { read: shareIn, expected: 'above 0% and below 100% of the packets' } as Argument,
	milliseconds: {
		read: (word) => {
			const ms = Number(MILLISECONDS.exec(word)?.[1]);
			return ms > 0 ? { delay_ms: ms } : null;
		},
		expected: 'milliseconds',
	} as Argument,
};

function shareIn(word: string): Partial<Given> | null {
	const share = Number(PERCENT.exec(word)?.[1]) / 100;
	return share > 0 && share < 1 ? { share } : null;
}

/**
 * @param text of FAULT
 * @returns in the order of time; none where nothing is given
 * @throws {NotReadyError} naming the fault that is spelt wrongly, and how it is spelt
 */
export function readFaults(text: string | undefined = ''): PlannedFault[] {
	const items = text.split(';').map((item) => item.trim());
	const faults = items.filter((item) => item !== '').map(readOne);
	refuseOverlap(faults);
	return faults.toSorted((one, other) => one.at_s - other.at_s);
}

function readOne(item: string): PlannedFault {
	const found = ITEM.exec(item)?.groups;
	const kind = found?.kind as Kind;
	if (!found || !Object.hasOwn(FORMS, kind))
		throw misspelt(
			item,
			`such as ${Object.values(FORMS)
				.map(({ spelt }) => `"${spelt}"`)
				.join(', ')}`,
		);
	const { arguments: wanted, lasts, spelt } = FORMS[kind];
	const words = found.words.split(/\s+/).filter(Boolean);
	const hasLength = found.lasts !== undefined;
	if (words.length !== wanted.length || (lasts !== 'may' && hasLength !== (lasts === 'must'))) throw misspelt(item, `as in "${spelt}"`);
	const given = words.map((word, index) => {
		const { read, expected } = ARGUMENTS[wanted[index]];
		const value = read(word);
		if (value === null) throw misspelt(item, `with ${expected} as in "${spelt}"`);
		return value;
	});
	const fault = {
		kind,
		service: found.service,
		...Object.assign({ ...NOTHING }, ...given),
		at_s: Number(found.at),
		lasts_s: hasLength ? Number(found.lasts) : null,
	};
	if (fault.lasts_s === 0) throw misspelt(item, `a length above 0, as in "${spelt}"`);
	if (fault.other === fault.service) throw misspelt(item, `two services, as in "${spelt}"`);
	return { text: formatFault(fault), ...fault };
}

const misspelt: (item: string, expected: string) => NotReadyError = (item, expected) =>
	new NotReadyError(`FAULT: expected a fault ${expected}; found "${item}".`, 'correct it; several faults have semicolons between them.');

function formatFault({ kind, service, cores, share, delay_ms: delayMs, other, at_s: at, lasts_s: lasts }: Omit<PlannedFault, 'text'>) {
	const percent = share === null ? null : `${Number((share * 100).toFixed(6))}%`;
	const delay = delayMs === null ? null : `${delayMs}ms`;
	const words = [kind, service, ...[other, cores, percent, delay].filter((word) => word !== null)].join(' ');
	return `${words}@${at}s${lasts === null ? '' : `+${lasts}s`}`;
}

/** Of two on one container the end of the first would undo the second, or fail for it. */
function refuseOverlap(faults: PlannedFault[]) {
	const endOf = ({ at_s: at, lasts_s: lasts }: PlannedFault) => at + (lasts ?? 0);
	for (const [index, one] of faults.entries()) {
		const other = faults
			.slice(index + 1)
			.find((candidate) => candidate.service === one.service && candidate.at_s <= endOf(one) && one.at_s <= endOf(candidate));
		if (other)
			throw new NotReadyError(
				`FAULT: expected one fault at a time on ${one.service}; found "${one.text}" and "${other.text}".`,
				'let the second begin when the first is over.',
			);
	}
}

/**
 * What only the system and the load can tell.
 * @throws {NotReadyError} naming the fault that cannot be put into this run
 */
export function checkFaults(
	faults: readonly PlannedFault[],
	{
		services,
		durationS,
		isSwarm = false,
	}: {
		/** names of the containers' figures */
		services: readonly string[];
		/** of the load's stages; endless where that is not known yet */
		durationS: number;
		isSwarm?: boolean;
	},
) {
	for (const fault of faults) {
		if (isSwarm) checkOnSwarm(fault);
		else if (FORMS[fault.kind].onSwarm === 'only')
			throw new NotReadyError(`FAULT: expected one that needs no Swarm; found "${fault.text}".`, 'use another one, or run it on a Swarm.');
		const { text, kind, service, other, at_s: at, lasts_s: lasts } = fault;
		const containers = kind === 'drain' ? [] : [service, other];
		const unknown = containers.find((name) => name !== null && !services.includes(name));
		if (unknown !== undefined)
			throw new NotReadyError(
				`FAULT: expected one of ${services.join(', ')} in "${text}"; found "${unknown}".`,
				instead(String(unknown), services, 'use one of these names.'),
			);
		if (at + (lasts ?? 0) >= durationS)
			throw new NotReadyError(
				`FAULT: expected "${text}" to be over before the load is, which lasts ${durationS} s; found that it ends at ${at + (lasts ?? 0)} s.`,
				'let it begin earlier, or take a longer load.',
			);
	}
}

/**
 * @param hosts names of those that the run has
 * @throws {NotReadyError} naming the fault whose host it does not have
 */
export function checkHosts(faults: readonly PlannedFault[], hosts: readonly string[]) {
	const unknown = faults.find(({ kind, service }) => kind === 'drain' && !hosts.includes(service));
	if (unknown)
		throw new NotReadyError(
			`FAULT: expected one of the hosts ${hosts.join(', ')} in "${unknown.text}"; found "${unknown.service}".`,
			instead(unknown.service, hosts, 'use one of these names.'),
		);
}

/** @throws {NotReadyError} */
function checkOnSwarm({ text, kind, lasts_s: lasts }: PlannedFault) {
	const { onSwarm } = FORMS[kind];
	if (onSwarm !== 'not' && !(onSwarm === 'without a length' && lasts !== null)) return;
	const kinds = (Object.keys(FORMS) as Kind[]).filter((one) => FORMS[one].onSwarm !== 'not');
	throw new NotReadyError(
		`FAULT: expected one of ${kinds.join(', ')} on a Swarm, kill and stop without a length, because it starts another container by itself; found "${text}".`,
		'use one of them, or run it on this machine alone.',
	);
}

/** As FAULT takes them. */
export const formatFaults = (faults: readonly PlannedFault[]) => faults.map(({ text }) => text).join('; ');
