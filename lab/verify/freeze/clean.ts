/** A record without what names the machine that it was made on. What users said is in none: no record keeps it. */

import { existsSync } from 'node:fs';
import os from 'node:os';
import { basename } from 'node:path';
import { DELAY_FIELD } from '../../adapters/pulse.ts';
import { NotReadyError } from '../../base/errors.ts';
import { RECORD, ROOT } from '../../base/paths.ts';
import type { RecordFiles } from './files.ts';

/** What tells one start of a machine from another. */
const BOOT = 'boot_id';
/** Where engines of other hosts answer. */
const HOSTS = / HOSTS='[^']*'| HOSTS=\S+/;
/** Of a file in a folder. */
const PATH = /\/(?:[\w.@+-]+\/)+[\w.@+-]+/g;
/** Folders that containers have too. */
const ANYWHERE = /^\/(?:bin|dev|etc|lib|lib64|opt|proc|run|sbin|sys|usr|var)\//;
/** Finer than any figure needs that comes from them, and nothing packs them. */
const NANOSECONDS = /\b\d+\.\d{7,}(?=[,}\]])/g;
const inMicroseconds = (figure: string) => String(Number(Number(figure).toFixed(6)));
/** Fields that moved nothing in any stored result. */
const UNREAD = [DELAY_FIELD, '"available_bytes":\\d+'].join('|');
const UNREAD_FIELD = new RegExp(`(?:${UNREAD}),|,(?:${UNREAD})(?=\\})`, 'g');
/** A shorter name is a word of its own anywhere. */
const NAME_LEAST = 5;
const SHOWN_MOST = 120;

/** @throws {NotReadyError} where a name is left */
export function clean(files: RecordFiles): RecordFiles {
	// What its files were is made anew of those that are kept.
	const { hosts, files: _, seal: __, ...manifest } = JSON.parse(files[RECORD.manifest]);
	const cleaned = {
		...manifest,
		command: manifest.command.replace(HOSTS, ''),
		...(hosts ? { hosts: hosts.map(({ [BOOT]: _, ...host }: any) => host) } : {}),
	};
	const all = { ...files, [RECORD.manifest]: `${JSON.stringify(cleaned, null, 2)}\n` };
	/** Whether they are of this machine. */
	const known: Map<string, boolean> = new Map();
	const isHere = (path: string) => {
		const is = known.get(path) ?? (!ANYWHERE.test(path) && existsSync(path));
		known.set(path, is);
		return is;
	};
	return Object.fromEntries(
		Object.entries(all).map(([name, text]) => {
			const nameless = text.replace(PATH, (path) => (isHere(path) ? basename(path) : path));
			refuseNames(name, nameless);
			return [name, name.endsWith('.ndjson') ? nameless.replace(UNREAD_FIELD, '').replace(NANOSECONDS, inMicroseconds) : nameless];
		}),
	);
}

function refuseNames(name: string, text: string) {
	for (const own of [ROOT, os.hostname()]) {
		const at = own.length < NAME_LEAST ? -1 : text.indexOf(own);
		if (at < 0) continue;
		throw new NotReadyError(
			`${name}: expected nothing that names this machine; found "${text.slice(at, at + SHOWN_MOST).split('\n')[0]}".`,
			'freeze another run, whose record names no path and no host.',
		);
	}
}
