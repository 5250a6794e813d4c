/**
 * Values for secrets and variables that a user's files name and do not have. Each is the same in all runs: what is compared is to be one
 * system.
 */

import { createHash } from 'node:crypto';
import { SECRET_NAME } from '../base/secret-names.ts';

const LETTERS = 32;

/** @param name of a variable or a secret */
export const madeUp = (name: string) => createHash('sha256').update(`doubletake ${name}`).digest('hex').slice(0, LETTERS);

/** By the last words of a name. */
const FOLDER = /(^|_)(dir|directory|path|folder|location|root|data|storage|volumes?)$/i;
const PORT = /(^|_)port$/i;
const TAG = /(^|_)(tag|version|release)$/i;
/** First match wins. Names of hosts are such by which nobody outside is reached. */
const LIKELY: [RegExp, (name: string) => string][] = [
	[SECRET_NAME, madeUp],
	[FOLDER, (name) => `./${name.toLowerCase()}`],
	[PORT, () => '8080'],
	[TAG, () => 'latest'],
	[/(^|_)(domain|host|hostname|fqdn)(_name)?$/i, () => 'localhost'],
	[/(^|_)(url|uri|origin)$/i, () => 'http://localhost'],
	[/mail(_(from|address))?$/i, () => 'doubletake@localhost'],
	[/(^|_)p?[ug]id$/i, () => '1000'],
	[/(^|_)(tz|timezone)$/i, () => 'UTC'],
];

/** What such a variable may well hold. */
export const likelyValue = (name: string) => LIKELY.find(([pattern]) => pattern.test(name))?.[1](name) ?? 'doubletake';

/** Whether its place in a file can seldom be empty: a mount, a port, the tag of an image. */
export const isOfPlace = (name: string) => [FOLDER, PORT, TAG].some((pattern) => pattern.test(name));

export const isTag = (name: string) => TAG.test(name);
