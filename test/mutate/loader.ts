/** Hooks of the module loader: a module of which constants are moved is loaded with the new numbers. */

import { movedSource } from './constants.ts';

/** By the address of the module. @type {Record<string, import('./constants.ts').Move[]>} */
let moves = {};

/** @param {typeof moves} given */
export function initialize(given) {
	moves = given;
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
	const loaded = await nextLoad(url, context);
	return moves[url] ? { ...loaded, source: movedSource(String(loaded.source), moves[url]) } : loaded;
}
