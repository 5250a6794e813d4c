/**
 * Names for images that a user's Compose file builds, whatever it calls them: what a name of the user's stands for stays as it is. The arms of a
 * comparison may build other images of the same services, so that each arm's have names of their own.
 */

import { createHash } from 'node:crypto';

const HASH_LENGTH = 6;

/** What the name of an image may hold; two texts never become one. */
export function slugOf(text: string) {
	const plain = text
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '-')
		.replace(/^-|-$/g, '');
	if (plain === text && text !== '') return plain;
	return plain === '' ? hashOf(text) : `${plain}-${hashOf(text)}`;
}

export const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
