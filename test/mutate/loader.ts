/** Hooks of the module loader: a module of which constants are moved is loaded with the new numbers. */

import type { LoadHook } from 'node:module';
import type { Move } from './constants.ts';
import { movedSource } from './constants.ts';

/** By the address of the module. */
let moves: Record<string, Move[]> = {};

export function initialize(given: typeof moves) {
	moves = given;
}

export async function load(
	url: Parameters<LoadHook>[0],
	context: Parameters<LoadHook>[1],
	nextLoad: Parameters<LoadHook>[2],
): Promise<Awaited<ReturnType<LoadHook>>> {
	const loaded = await nextLoad(url, context);
	return moves[url] ? { ...loaded, source: movedSource(String(loaded.source), moves[url]) } : loaded;
}
