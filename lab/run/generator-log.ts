/**
 * What of the generator's log the record keeps: the lab's own lines, and the generator's without what was asked. What a user's script prints is
 * the user's.
 */

import { join } from 'node:path';
import { withoutContent } from '../adapters/log-content.ts';
import { RAW } from '../base/paths.ts';
import { readPrivate } from '../base/private-file.ts';
import { writeFileAtomic } from '../base/whole-file.ts';
import { pathTemplate } from '../wire/templates.ts';

/** With which lines of the lab begin (k6/lib). */
const OWN = /^\{"(?:event|t|acknowledged|check_failed|requests|warm)":/;
const ASKED = /^(\{"event":"first-failed","method":"[A-Z]*","url":")((?:[^"\\]|\\.)*)"/;

/** @param generators each of several has a folder there */
export async function redactGeneratorLog(rawFolder: string, generators: string[]) {
	for (const path of ['', ...generators].map((name) => join(rawFolder, name, RAW.k6Log))) {
		const text = readPrivate(path);
		if (text !== null) await writeFileAtomic(path, String(text).split('\n').flatMap(keptLine).join('\n'));
	}
}

/** @returns none, or one */
function keptLine(line: string): string[] {
	if (line === '') return [line];
	try {
		const said = JSON.parse(line);
		const { msg, source, ...rest } = said;
		if (OWN.test(msg)) return [ASKED.test(msg) ? JSON.stringify({ ...said, msg: msg.replace(ASKED, withTemplate) }) : line];
		return source === 'console' ? [] : [JSON.stringify({ level: rest.level, msg: withoutContent(String(msg)), time: rest.time })];
	} catch {
		// It was killed within a line.
		return [];
	}
}

function withTemplate(_whole: string, before: string, url: string) {
	const origin = /^[a-z]+:\/\/[^/]*/i.exec(url)?.[0] ?? '';
	return `${before}${origin}${pathTemplate(url)}"`;
}
