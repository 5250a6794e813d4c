/**
 * Faults that a user puts into a run at moments of its load, such as `FAULT='pause app-1@20s+5s; kill app-2@30s'`. Unlike those of the
 * self-test they are on the record and in the report. No rule of the diagnosis reads them: it has to find out by itself.
 *
 * @typedef {'kill' | 'stop' | 'restart' | 'pause' | 'cpu' | 'cut' | 'loss' | 'delay' | 'update' | 'drain'} Kind
 *
 * @typedef {object} PlannedFault
 * @property {string} text          as it is spelt, without needless blanks
 * @property {Kind} kind
 * @property {string} service       the name of a container's figures; of `drain` that of a host
 * @property {number | null} cores  of `cpu`
 * @property {number | null} share  of `cpu`, in the place of cores: of what the container may use, 0 to 1; of `loss`: of the packets
 * @property {number | null} delay_ms  of `delay`: added to each round trip
 * @property {string | null} other  of `cut`, `loss` and `delay`: the container at the other end of the way
 * @property {number} at_s          from the start of the load
 * @property {number | null} lasts_s  until it is undone; null where nothing undoes it
 *
 * @typedef {object} Put            what came of it; seconds since 1970
 * @property {number | null} began_s
 * @property {number | null} ended_s  undone, or over by itself
 * @property {[number, number]} [in_force_s]  of those times, without what putting in and undoing took
 * @property {string | null} failed   why it could not be put in, or not be undone, as a clause
 *
 * @typedef {PlannedFault & Put} PutFault
 *
 * @typedef {object} Form
 * @property {string} spelt         an example
 * @property {string} about
 * @property {(keyof typeof ARGUMENTS)[]} arguments  what stands after the service
 * @property {'none' | 'may' | 'must'} lasts      whether a length is given
 * @property {'as it is' | 'without a length' | 'not' | 'only'} onSwarm  whether a Swarm has it: it starts another container where one ended
 */
import { NotReadyError } from '../base/errors.ts';
import { instead } from '../base/format-command.ts';

/** @type {Record<Kind, Form>} */
export const FORMS = {
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

/** @typedef {Pick<PlannedFault, 'cores' | 'share' | 'delay_ms' | 'other'>} Given  what stands after the service */
/** @type {Given} */
const NOTHING = { cores: null, share: null, delay_ms: null, other: null };

/**
 * What a word after the service means; null where it means nothing, then with what is expected.
 * @typedef {{ read: (word: string) => Partial<Given> | null, expected: string }} Argument
 */
const ARGUMENTS = {
	other: /** @type {Argument} */ ({ read: (word) => ({ other: word }), expected: 'another service' }),
	cores: /** @type {Argument} */ ({
		read: (word) => (PERCENT.test(word) ? shareIn(word) : Number(word) >= CORES_LEAST ? { cores: Number(word) } : null),
		expected: `at least ${CORES_LEAST} cores, or above 0% and below 100% of what it may use,`,
	}),
	packets: /** @type {Argument} */ ({ read: shareIn, expected: 'above 0% and below 100% of the packets' }),
	milliseconds: /** @type {Argument} */ ({
		read: (word) => {
			const ms = Number(MILLISECONDS.exec(word)?.[1]);
			return ms > 0 ? { delay_ms: ms } : null;
		},
		expected: 'milliseconds',
	}),
};

/** @param {string} word @returns {Partial<Given> | null} */
function shareIn(word) {
	const share = Number(PERCENT.exec(word)?.[1]) / 100;
	return share > 0 && share < 1 ? { share } : null;
}

/**
 * @param {string | undefined} text  of FAULT
 * @returns {PlannedFault[]} in the order of time; none where nothing is given
 * @throws {NotReadyError} naming the fault that is spelt wrongly, and how it is spelt
 */
export function readFaults(text = '') {
	const items = text.split(';').map((item) => item.trim());
	const faults = items.filter((item) => item !== '').map(readOne);
	refuseOverlap(faults);
	return faults.toSorted((one, other) => one.at_s - other.at_s);
}

/** @param {string} item @returns {PlannedFault} */
function readOne(item) {
	const found = ITEM.exec(item)?.groups;
	const kind = /** @type {Kind} */ (found?.kind);
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

/** @type {(item: string, expected: string) => NotReadyError} */
const misspelt = (item, expected) =>
	new NotReadyError(`FAULT: expected a fault ${expected}; found "${item}".`, 'correct it; several faults have semicolons between them.');

/** @param {Omit<PlannedFault, 'text'>} fault */
function formatFault({ kind, service, cores, share, delay_ms: delayMs, other, at_s: at, lasts_s: lasts }) {
	const percent = share === null ? null : `${Number((share * 100).toFixed(6))}%`;
	const delay = delayMs === null ? null : `${delayMs}ms`;
	const words = [kind, service, ...[other, cores, percent, delay].filter((word) => word !== null)].join(' ');
	return `${words}@${at}s${lasts === null ? '' : `+${lasts}s`}`;
}

/** Of two on one container the end of the first would undo the second, or fail for it. @param {PlannedFault[]} faults */
function refuseOverlap(faults) {
	const endOf = (/** @type {PlannedFault} */ { at_s: at, lasts_s: lasts }) => at + (lasts ?? 0);
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
 * @param {readonly PlannedFault[]} faults
 * @param {object} given
 * @param {readonly string[]} given.services  names of the containers' figures
 * @param {number} given.durationS   of the load's stages; endless where that is not known yet
 * @param {boolean} [given.isSwarm]
 * @throws {NotReadyError} naming the fault that cannot be put into this run
 */
export function checkFaults(faults, { services, durationS, isSwarm = false }) {
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
 * @param {readonly PlannedFault[]} faults
 * @param {readonly string[]} hosts  names of those that the run has
 * @throws {NotReadyError} naming the fault whose host it does not have
 */
export function checkHosts(faults, hosts) {
	const unknown = faults.find(({ kind, service }) => kind === 'drain' && !hosts.includes(service));
	if (unknown)
		throw new NotReadyError(
			`FAULT: expected one of the hosts ${hosts.join(', ')} in "${unknown.text}"; found "${unknown.service}".`,
			instead(unknown.service, hosts, 'use one of these names.'),
		);
}

/** @param {PlannedFault} fault @throws {NotReadyError} */
function checkOnSwarm({ text, kind, lasts_s: lasts }) {
	const { onSwarm } = FORMS[kind];
	if (onSwarm !== 'not' && !(onSwarm === 'without a length' && lasts !== null)) return;
	const kinds = /** @type {Kind[]} */ (Object.keys(FORMS)).filter((one) => FORMS[one].onSwarm !== 'not');
	throw new NotReadyError(
		`FAULT: expected one of ${kinds.join(', ')} on a Swarm, kill and stop without a length, because it starts another container by itself; found "${text}".`,
		'use one of them, or run it on this machine alone.',
	);
}

/** As FAULT takes them. @param {readonly PlannedFault[]} faults */
export const formatFaults = (faults) => faults.map(({ text }) => text).join('; ');
