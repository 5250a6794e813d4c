/**
 * The files of a run's record as the analysis reads them: whatever of a file can be read is read, and what is wrong with it is noted, so that a
 * damaged one is a doubt about the run and never an error in the middle of it.
 */

import { basename, join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { adapterFor } from '../adapters/registry.ts';
import { folderInRecord, inRecord } from '../base/files.ts';
import { RAW, RECORD, requestLogOf, SERVICE_RECORD } from '../base/paths.ts';
import { READ_MOST_BYTES, readPacked, readPrivate } from '../base/private-file.ts';
import { isRow, jsonIn, parseLines } from '../base/values.ts';
import { scenarios } from '../catalog/scenarios.ts';
import type { Damage, Sealed } from '../record/inventory.ts';
import { damageIn, PACKED } from '../record/inventory.ts';

export type Damaged = {
	/** below the run's folder */
	path: string;
	/** the end of a sentence that begins with it */
	problem: string;
	/** whose record it is; null of what is nobody's alone */
	service: string | null;
	/** the analysis reads it: what it says rests on it */
	isRead: boolean;
};

/** What a run never leaves without a line. */
const NEVER_EMPTY: string[] = [RAW.containers, RAW.host, RAW.finalStates, RAW.k6Log, RAW.program];
/** Written line by line. */
const OF_LINES = /\.(?:log|ndjson|txt)$/;
/** At the least: to parse every line once more takes longer. */
const OTHER_LINE = /^[^{\n]|[^}\n]$/m;
/** The engine writes its time before each line, and the lab says where it left out the rest. */
const STAMPED = /^(?:\d{4}-\d\d-\d\dT|\()/;
const SHOWN_MOST = 40;

/**
 * files: that a service left
 *   beside its folder
 */
type Left = { name: string; tier: string; service?: string; product?: string; watch?: number; files?: string[] | null };

/** What is there of every run, where its manifest does not say so. */
function expectedOf({
	generators,
	scenario,
	services = [],
}: {
	generators?: { name: string }[];
	scenario: string;
	services?: Left[];
}): string[] {
	const folders = generators?.map(({ name }) => name);
	const watched = services.filter(({ product, watch = 0, tier }) => product !== undefined && watch > 0 && tier !== GENERATOR);
	const shipped = services.filter(({ product, tier }) => product === undefined && tier !== GENERATOR && tier !== OBSERVER);
	return [
		...[RAW.containers, RAW.kernel, RAW.host, RAW.events, RAW.finalStates],
		...(scenarios[scenario].driver === 'program' ? [RAW.program] : (folders ?? ['']).map((name) => join(name, RAW.k6Log))),
		...watched.map(({ name }) => join(name, SERVICE_RECORD.log)),
		...shipped.flatMap((service) => service.files ?? adapterFor(service)?.recorded?.(service.name) ?? []),
	];
}
const [GENERATOR, OBSERVER] = ['generator', 'observer'];

/** null where there is no such file */
type Stored = (name: string, note: (problem: string) => void) => Buffer | string | null;

export class RecordFiles {
	#stored;
	/** Whether the manifest says how each file was left. */
	#isKnown;
	#damage: Map<string, Damage>;
	#read: Set<string> = new Set();
	/** Those of which it is known what is wrong beside what the manifest says. */
	#looked: Set<string> = new Set();

	/** @param folder of a run */
	static async open(folder: string, manifest: any) {
		const { files = null } = manifest as Sealed;
		const rawFolder = folderInRecord(folder, RECORD.raw);
		const damage = files === null ? null : await damageIn(rawFolder, files);
		const record = new RecordFiles((name, note) => storedIn(inRecord(rawFolder, name), note), damage);
		if (files === null) record.expect(expectedOf(manifest));
		return record;
	}

	/** @param damage as the manifest has it; null where that says nothing */
	constructor(stored: Stored, damage: Map<string, Damage> | null = null) {
		this.#stored = stored;
		this.#isKnown = damage !== null;
		this.#damage = damage ?? new Map();
	}

	/** Notes those that are not there, or empty. */
	expect(names: string[]) {
		for (const name of names) {
			const text = this.stored(name);
			if (text === null) this.note(name, 'is missing');
			// A service may have had nothing to say.
			else if (text === '' && NEVER_EMPTY.includes(basename(name))) this.note(name, 'is empty');
		}
	}

	/** What the manifest says of a file comes first. */
	note(name: string, problem: string) {
		if (!this.#damage.has(name)) this.#damage.set(name, { path: name === RAW.wire ? `${name}${PACKED}` : name, problem });
	}

	isDamaged(name: string) {
		this.#read.add(name);
		return this.#damage.has(name);
	}

	/**
	 * @param name of a file that may be packed: large ones are, when the run is collected
	 * @returns null where there is none
	 * @throws {NotReadyError} when a link is in its place, or it is too large
	 */
	stored(name: string): string | null {
		this.#read.add(name);
		const found = this.#stored(name, (problem) => this.note(name, problem));
		if (found === null) return null;
		const text = String(found);
		if (!this.#looked.has(name)) this.#look(name, text);
		this.#looked.add(name);
		return text;
	}

	/** @returns empty where it is not there */
	text(name: string): string {
		return this.stored(name) ?? '';
	}

	/** @returns the lines of it that are rows */
	rows(name: string, isOne: (row: any) => boolean = isTimed): any[] {
		return parseLines(this.text(name), (line, found) => this.note(name, badLine(line, found)), isOne);
	}

	/** @returns null where there is none that is such a value */
	json<T>(name: string, isOne: (value: any) => value is T): T | null {
		const text = this.text(name);
		const value = jsonIn(text);
		if (isOne(value)) return value;
		if (text !== '') this.note(name, 'is not the JSON that a run leaves there');
		return null;
	}

	damaged({ services = [] }: { services?: Left[] }): Damaged[] {
		const ofService = (path: string) => services.find((service) => isOf(service, path))?.name ?? null;
		return [...this.#damage].map(([name, { path, problem }]) => ({
			path: join(RECORD.raw, path),
			problem,
			service: ofService(name),
			isRead: this.#read.has(name),
		}));
	}

	#look(name: string, text: string) {
		if (text === '' || !OF_LINES.test(name)) return;
		// A writer that was killed leaves half a line; whether the run left it so is known.
		if (!this.#isKnown && !text.endsWith('\n')) this.note(name, 'ends within a line');
		if (!this.#isKnown && basename(name) === SERVICE_RECORD.log) this.#lookAtTimes(name, text);
		const whole = text.slice(0, text.lastIndexOf('\n') + 1);
		if (name.endsWith('.ndjson') && (!this.#isKnown || OTHER_LINE.test(whole)))
			parseLines(whole, (line, found) => this.note(name, badLine(line, found)));
	}

	/** Of what a container wrote. */
	#lookAtTimes(name: string, text: string) {
		const lines = text.split('\n');
		const first = lines.findIndex((line) => line !== '' && !STAMPED.test(line));
		if (first >= 0) this.note(name, badLine(first + 1, lines[first]));
	}
}

const isOf = ({ name, service = name, files }: Left, path: string) =>
	[name, service].some((own) => path.startsWith(`${own}/`)) ||
	[requestLogOf(name), `${name}.ndjson`, `${name}.log`, ...(files ?? [])].includes(path);

/** Every row of an observer has a time. */
const isTimed = (row: any) => isRow(row) && Number.isFinite(row.t);

const badLine = (line: number, found: string) =>
	`has something else in line ${line.toLocaleString('en-US')} (${JSON.stringify(found.slice(0, SHOWN_MOST))})`;

function storedIn(path: string, note: (problem: string) => void) {
	const packed = `${path}${PACKED}`;
	try {
		return readPrivate(path) ?? readPacked(packed);
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (!String(code).startsWith('Z_')) throw error;
		note(`cannot be unpacked to its end (${message})`);
		return beginningOf(readPrivate(packed) as Buffer);
	}
}

/** What of a packed file can be read before it breaks off. */
function beginningOf(packed: Buffer): Buffer | null {
	try {
		return gunzipSync(packed, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: READ_MOST_BYTES });
	} catch {
		return null;
	}
}
