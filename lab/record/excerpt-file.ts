/**
 * The one file of an excerpt: all records of an experiment that are kept, packed together, because they are much alike. What reads a record
 * of an experiment reads it here, whether it is a file of its own or packed. Its tables are packed by columns; those of earlier files are
 * not, and read the same. Whatever is read comes out in today's shape.
 */

import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { fromColumns, toColumns } from '../base/columns.ts';
import { NotReadyError } from '../base/errors.ts';
import { readInRecord } from '../base/files.ts';
import { formatCommand } from '../base/format-command.ts';
import { isPackedJson, packJson, unpackJson } from '../base/packed-json.ts';
import { EXCERPT_FILE, RECORD } from '../base/paths.ts';
import { READ_MOST_BYTES, readPrivate } from '../base/private-file.ts';
import { writeFileAtomic } from '../base/whole-file.ts';
import type { Records } from './findings.ts';
import { lifted, VERSIONS } from './versions.ts';

const unpack = promisify(brotliDecompress);

/** @param folder of an experiment */
export const isExcerpt = (folder: string) => existsSync(join(folder, EXCERPT_FILE));

export async function writeExcerpt(folder: string, records: Records) {
	const kept = Object.entries(records).map(([name, record]) => [name, name === RECORD.manifest ? record : withoutChance(record)]);
	await writeFileAtomic(join(folder, EXCERPT_FILE), await packJson(toColumns(Object.fromEntries(kept))));
}

/** One of an earlier version is JSON alone. */
const unpacked = async (packed: Buffer) =>
	isPackedJson(packed)
		? unpackJson(packed, READ_MOST_BYTES)
		: JSON.parse(String(await unpack(packed, { maxOutputLength: READ_MOST_BYTES })));

/** Of what was measured; what was planned and what others published stays as it is. */
const withoutChance = (record: any) => JSON.parse(JSON.stringify(record), (_, value) => shortened(value));

/** Further digits are chance; a time since 1970 keeps its milliseconds. */
const DIGITS = 6;
const DECIMALS = 3;

function shortened(value: unknown) {
	if (typeof value !== 'number' || Number.isInteger(value) || !Number.isFinite(value)) return value;
	const whole = Math.max(0, Math.floor(Math.log10(Math.abs(value))) + 1);
	return Number(value.toPrecision(Math.max(DIGITS, whole + DECIMALS)));
}

/**
 * @returns none where the folder holds no excerpt
 * @throws {NotReadyError} when the file is not whole
 */
export async function readExcerpt(folder: string): Promise<Records> {
	const path = join(folder, EXCERPT_FILE);
	const packed = readPrivate(path);
	if (packed === null) return {};
	let records: Records;
	try {
		records = fromColumns(await unpacked(packed));
	} catch {
		throw new NotReadyError(
			`${path}: expected the packed records of an experiment; found ${packed.length} bytes that cannot be unpacked.`,
			'get it again from where it came.',
		);
	}
	return Object.fromEntries(Object.entries(records).map(([name, record]) => [name, today(name, record, join(folder, name))]));
}

export const ENDING = '.json';

/** @param name of a file that may have versions */
function today(name: string, record: any, path: string) {
	const document = basename(name, ENDING);
	if (!Object.hasOwn(VERSIONS, document)) return record;
	if (record === null || typeof record !== 'object' || Array.isArray(record)) throw noRecord(path, 'something else');
	try {
		return lifted(document as keyof typeof VERSIONS, record, path);
	} catch (error) {
		// It has not the parts that every version has.
		if (error instanceof TypeError) throw noRecord(path, 'something else');
		throw error;
	}
}

export const noRecord = (path: string, found: string) =>
	new NotReadyError(
		`${path}: expected a record as Doubletake writes it; found ${found}.`,
		`make it again from the raw record: ${formatCommand(['report', dirname(path)])}`,
	);

/**
 * @param folder of an experiment or of an excerpt of one
 * @param path of the record below it
 * @returns null where it is not there
 */
export async function readRecord(folder: string, path: string): Promise<any> {
	// What was unpacked from an excerpt may be of an earlier one.
	if (isExcerpt(folder)) return (await readExcerpt(folder))[path] ?? null;
	const file = join(folder, path);
	const text = readInRecord(folder, path);
	return text === null ? null : today(path, parsed(String(text), file), file);
}

/** @throws {NotReadyError} */
function parsed(text: string, file: string) {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw new NotReadyError(
			`Expected JSON in ${file}; found ${(error as Error).message}.`,
			`make it again from the raw record: ${formatCommand(['report', dirname(file)])}`,
		);
	}
}
