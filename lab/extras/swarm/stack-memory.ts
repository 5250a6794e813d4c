/** Memory as a folder. A mount of a stack has no owner; a volume that is memory has, and each container has its own. */

import { YES } from './placement.ts';

/** Of all that is made: what has it not is somebody else's, and is never removed. As compose/lab.yaml gives it. */
export const OURS = { 'doubletake.lab': YES };

const SHARED_MEMORY = '/dev/shm';

/** Of the short form, each with what stands after its path. */
const memoryIn = ({ tmpfs }: any): { target: string; options: string }[] =>
	[tmpfs ?? []].flat().map((text) => {
		const [target, options = ''] = text.split(/:(.*)/);
		return { target, options };
	});

const memoryName = (name: string, index: number) => `memory-${name}-${index + 1}`;

export const memoryMounts = (name: string, service: any) => [
	...memoryIn(service).map(({ target, options }, index) =>
		options === '' ? { type: 'tmpfs', target } : { type: 'volume', source: memoryName(name, index), target, volume: { nocopy: true } },
	),
	...(service.shm_size ? [{ type: 'tmpfs', target: SHARED_MEMORY, tmpfs: { size: Number(service.shm_size) } }] : []),
];

export const memoryVolumes = (name: string, service: any): [string, object][] =>
	memoryIn(service).flatMap(({ options }, index) => {
		if (options === '') return [];
		const volume = { driver_opts: { type: 'tmpfs', device: 'tmpfs', o: options }, labels: OURS };
		return [[memoryName(name, index), { name: `${memoryName(name, index)}-{{.Task.Slot}}`, ...volume }]];
	});
