/**
 * Tokyo Cabinet, a store in files: a program in its container makes the load, and says itself what it did.
 */

import { bareRecord } from '../bare-record.ts';
import { type Adapter, AS_CONTAINER } from '../contract.ts';
import { parseInform, parseSpan, parseWriter } from './program-record.ts';

export const adapter: Adapter = {
	product: 'tokyo',
	title: 'Tokyo Cabinet',
	isLabsOwn: true,
	detect: () => null,
	unlabelled: ({ name }) => name === 'tokyo',
	watches: () => [AS_CONTAINER],
	overlay: () => ({}),
	version: { command: ['tchmgr', 'version'], pattern: /Tokyo Cabinet version (\S+)/, component: 'tokyo cabinet' },
	sample: null,
	program: { span: parseSpan, writer: parseWriter, stored: parseInform },
	read: (_files, about) => ({ ...bareRecord(about, 'tokyo'), uncovered: [`what ${about.service} stored its program says itself`] }),
};
