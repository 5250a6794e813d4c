/** What is known of a service whose product the lab does not know: from its output only what has a common form. */

import { bareRecord } from '../bare-record.ts';
import type { About, Files, HopRecord } from '../contract.ts';
import { withAccess } from './access-log.ts';
import { readWorkers } from './workers.ts';

export function read({ log }: Files, about: About): HopRecord {
	const { service, level, window } = about;
	const floor = `${service} runs a product that Doubletake does not know: it sees the container (CPU, memory, sockets, ends), not single requests`;
	const messages = level === 0 ? [] : readWorkers(log, window);
	return withAccess({ ...bareRecord(about, 'opaque'), uncovered: [floor], messages }, log, about);
}
