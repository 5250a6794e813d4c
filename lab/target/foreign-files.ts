/**
 * Of a file outside of the folder, which others may have named, its name is shown and nothing that stands in it, until the command line allows it.
 */

import { parseEnv } from 'node:util';
import { NotReadyError } from '../base/errors.ts';
import { shellWord } from '../base/format-command.ts';
import { lineWithCodes } from '../base/hidden-characters.ts';
import { secretsOf } from '../base/secret-names.ts';
import { secrets } from '../base/secrets.ts';
import { follow } from './real-path.ts';

export type ReadFile = {
	/** as it is named */
	path: string;
	text: string;
	/** it lies in the folder, or the user allows it */
	isOwn: boolean;
};

/** of a variable */
export type ForeignValue = { name: string; value: string; path: string };

/** Of Compose's warnings. */
const UNSET = /The \\?"(\w+)\\?" variable is not set/;

/**
 * @param doubt of Compose
 * @returns the name of a variable that is not set, or none
 */
export const unsetIn = (doubt: string): string[] => UNSET.exec(doubt)?.slice(1) ?? [];

/** As people name a variable: without braces others are as likely a part of a password. */
const CAPITALS = /^[A-Z_][A-Z\d_]*$/;
/** Before a variable without braces. */
const APART = /(?:^|[\s"'=:/@,([{.-])$/;

/**
 * @param name of a variable that is not set
 * @returns null where it is plainly a variable, or stands behind no "$", and may be shown; else where it stands
 */
export function placeOfUnset(name: string, files: ReadFile[]): string | null {
	const found = files.flatMap(({ path, text, isOwn }) =>
		text.split('\n').flatMap((line, at) =>
			[...line.matchAll(new RegExp(`\\$(\\{?)${name}(?!\\w)`, 'g'))].map(({ 1: brace, index }) => ({
				place: `${path}, line ${at + 1}`,
				isPlain: isOwn && (brace !== '' || (CAPITALS.test(name) && APART.test(line.slice(0, index)))),
			})),
		),
	);
	return found.some(({ isPlain }) => isPlain) ? null : (found[0]?.place ?? null);
}

/**
 * @param doubt of Compose
 * @returns without what may be a part of a password
 */
export function withoutParts(doubt: string, files: ReadFile[]): string {
	const [place] = unsetIn(doubt).flatMap((name) => placeOfUnset(name, files) ?? []);
	return place === undefined
		? doubt
		: `Compose: ${place}: behind a "$" stands no variable that is set, so that it is empty; "$$" stands for the sign itself.`;
}

/** A mount is split there, and a path is written anew. */
const APART_IN_PATH = /[:/]+/;

/**
 * @param files of variables
 * @returns that Compose fills into the Compose files, and parts of them
 */
export const foreignValues = (files: ReadFile[]): ForeignValue[] =>
	files.flatMap(({ path, text, isOwn }) =>
		isOwn
			? []
			: Object.entries(parseEnv(text)).flatMap(([name, value = '']) =>
					[...new Set([value, ...value.split(APART_IN_PATH)])].map((part) => ({ name, value: part, path })),
				),
	);

/**
 * @param refusal of Compose
 * @param files that it read
 * @returns without its words where they may be those of a file that lies elsewhere
 */
export function withoutWords(refusal: Error, files: ReadFile[]): Error {
	const away = [...new Set(files.filter(({ isOwn }) => !isOwn).map(({ path }) => follow(path).real))];
	if (away.length === 0) return refusal;
	return new NotReadyError(
		`The Compose file: expected what Compose takes; it refuses it, and nothing of what it says is shown, because it read files outside of the folder: ${lineWithCodes(away.join(', '))}.`,
		`see what "docker compose config" says; or, if you know that it is meant, add ${away.map((path) => `--allow=${shellWord(path)}`).join(' ')} to the command.`,
	);
}

/**
 * A name is shown everywhere.
 * @param what that is called so
 * @param isMeant whether it is to be shown nowhere; those that are secret unless given
 * @throws {NotReadyError} naming the variable
 */
export function refuseForeign(
	what: string,
	names: string[],
	values: ForeignValue[],
	isMeant: (value: ForeignValue) => boolean = ({ name, value }) => secretsOf(name, value).includes(value),
) {
	const found = values.find((one) => isMeant(one) && secrets.couldHide(one.value) && names.some((name) => name.includes(one.value)));
	if (found === undefined) return;
	throw new NotReadyError(
		`${what}: expected nothing of a file outside of the folder; found the value of ${found.name}, a variable of ${lineWithCodes(found.path)}.`,
		`write it out; or, if it may be shown, add --allow=${shellWord(follow(found.path).real)} to the command.`,
	);
}
