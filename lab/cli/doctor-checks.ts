/** What a machine has to have before the lab can measure on it. */

import { join } from 'node:path';
import { execa } from 'execa';
import { REPORTS, ROOT } from '../base/paths.ts';
import { checkEngine } from '../docker/engine.ts';
import { checkCompose, checkDisk, checkMemory, checkPort } from '../run/preflight.ts';
import type { Check } from './doctor.ts';

/** Of every shipped system, on 127.0.0.1. */
const PORT = 8080;
const HOST = '127.0.0.1';
const INSTALL_LIMIT_MS = 600_000;

/** As the lab's own door does it. Its words are the user's to see. */
const install = () =>
	execa(join(ROOT, 'compose/engine/ensure.sh'), {
		stdin: 'inherit',
		stdout: process.stderr,
		stderr: 'inherit',
		reject: false,
		timeout: INSTALL_LIMIT_MS,
	});

export const CHECKS: Check[] = [
	{ what: 'Node.js', look: async () => process.versions.node },
	{ what: 'Docker Engine', look: checkEngine, fix: { question: 'Install and start it (on Debian as root)?', act: install } },
	{ what: 'Docker Compose', look: () => checkCompose(), fix: { question: 'Install it (on Debian as root)?', act: install } },
	{ what: 'memory', look: async () => checkMemory() },
	{ what: 'disk', look: () => checkDisk(REPORTS) },
	{
		what: `port ${PORT} (of the systems that Doubletake brings along; your own needs none)`,
		look: () => checkPort({ service: 'the load balancer', port: PORT, host: HOST }),
	},
];
