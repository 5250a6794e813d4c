/** The preload of a Node service: its modules, mounted read-only, and the option that loads them. */

import { fileURLToPath } from 'node:url';
import type { Level } from '../../base/tier.ts';
import type { OverlayPart, ServiceModel } from '../contract.ts';

export const PRELOAD_LEVEL: Level = 3;

/** In the container; the preload finds its record beside its own folder. */
const MODULES = '/doubletake/preload';
const RECORD = '/doubletake/record';
const OPTION = `--import=file://${MODULES}/preload.mjs`;

export const preloaded = ({ environment }: ServiceModel): OverlayPart => ({
	// What it has stays, and comes first: an agent of the user's own is loaded as ever.
	environment: { NODE_OPTIONS: [environment.NODE_OPTIONS ?? '', OPTION].filter(Boolean).join(' ') },
	mounts: [
		{ source: fileURLToPath(new URL('preload', import.meta.url)), target: MODULES, readOnly: true },
		{ source: 'raw:', target: RECORD, readOnly: false },
	],
});
