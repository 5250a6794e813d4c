/**
 * Node.js: its log says that a process died of an error nobody caught; with the user's consent a preload keeps the same record in its
 * processes that the lab's own programs keep.
 */

import type { Adapter } from '../contract.ts';
import { AS_CONTAINER } from '../contract.ts';
import { detectMarked } from '../found-servers.ts';
import { faults } from '../opaque/faults.ts';
import { PRELOAD_LEVEL, preloaded } from './overlay.ts';
import { read } from './read.ts';

const MARKS = {
	// Not those of exporters, whose names begin like it.
	images: /^(node|nodejs|nodejs-\d+(-minimal)?|nodejs\d+(-debian\d+)?)$/,
	programs: /^(node|nodejs|npm|npx|yarn|pnpm|pm2|pm2-runtime|nodemon|tsx|ts-node|next|nest|nuxt)$/,
	clients: /^(tsc|prisma|knex|sequelize|typeorm|sleep|tail)$/,
	ports: [],
};

export const adapter: Adapter = {
	product: 'node',
	title: 'Node.js',
	detect: (service) => detectMarked('app', service, MARKS),
	watches: () => [
		AS_CONTAINER,
		{
			level: 1,
			gives: 'also that a process died of an error nobody caught; and requests by status, from an access log',
			needs: 'what it says on its output, and an access log in the common or combined form there (morgan: "combined")',
		},
		{
			level: PRELOAD_LEVEL,
			gives: 'each request by its id, so that a failure there is proved; its event loop and heap once a second',
			needs:
				'Node 18.18 or newer, and consent: a module of Doubletake is loaded before its program (NODE_OPTIONS=--import, in every process), without a change of its code',
		},
	],
	overlay: (service, level) => (level >= PRELOAD_LEVEL ? preloaded(service) : {}),
	version: { command: ['node', '--version'], pattern: /^v(\d+\.\d+\.\d+)/m },
	sample: null,
	read,
	faults,
};
