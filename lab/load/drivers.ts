/**
 * Who makes the load. A driver is given the stack when it is healthy, says when it is ready and when the load begins, and
 * returns when the load has ended.
 */

import { loadStart, type Shape } from '../../k6/lib/shapes.js';
import type { Progress } from '../base/progress.ts';
import type { Scenario } from '../catalog/scenarios.ts';
import type { Service, System } from '../docker/containers.ts';
import type { Generated } from '../record/generated.ts';
import { runLoad } from './load.ts';
import { runProgram } from './program.ts';

export type Driver = {
	/** of Compose that it needs beside the architecture's */
	profiles: string[];
	/** what is said of its own page, where that is on */
	livePage: string;
	/** whose version is asked, among the variables that name them; null where the load is made by a service of the stack */
	image: (images: Record<string, string>) => string | null;
	/** gives how each generator ended; none where the load is made by a service of the stack */
	drive: (options: DriveOptions) => Promise<Generated[]>;
};

export type DriveOptions = {
	/** with the profile of the generator */
	system: System;
	/** Compose's names of k6's services; the lab's one unless given */
	generators?: string[];
	env: Record<string, string>;
	stack: Service[];
	shape: Shape;
	/** of the run */
	rawFolder: string;
	/** that the containers write into */
	writtenFolder: string;
	progress: Progress;
	signal: AbortSignal;
	/** all services run, the generator's too */
	onReady: (services: Service[]) => Promise<void>;
	/** seconds since 1970 */
	onWarmupBegan: (warmupBegan: number, loadBegins: number) => void;
	/** between warm-up and load, when no request is under way */
	onSettled: () => Promise<void>;
};

/** Its service in compose/lab.yaml. */
const K6 = 'k6';

export const drivers: Record<Scenario['driver'], Driver> = {
	k6: {
		profiles: ['load'],
		livePage: "; k6's own live page is on http://127.0.0.1:5665",
		image: ({ K6_IMAGE: image }) => image,
		drive: ({ generators = [K6], stack, onReady, onWarmupBegan, writtenFolder, ...options }) =>
			runLoad({
				...options,
				// What they say is followed where they write it.
				rawFolder: writtenFolder,
				generators,
				onCreated: (created) => onReady([...stack, ...created]),
				onWarmupBegan: (began) => onWarmupBegan(began, began + loadStart(options.shape)),
			}),
	},
	program: {
		profiles: [],
		livePage: '',
		image: () => null,
		drive: async ({ env, stack, shape, rawFolder, writtenFolder, progress, signal, onReady, onWarmupBegan, onSettled }) => {
			await onReady(stack);
			await onSettled();
			await runProgram({
				services: stack,
				variables: env,
				shape,
				rawFolder,
				writtenFolder,
				progress,
				signal,
				onBegan: (began) => onWarmupBegan(began, began),
			});
			return [];
		},
	},
};
