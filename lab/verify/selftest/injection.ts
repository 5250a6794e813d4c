/**
 * A fault in a run: what of it is otherwise in the system's files the target lays into them; what is done to containers is done here, before the
 * load and in it.
 */

import type { Shape } from '../../../k6/lib/shapes.js';
import { loadDuration, loadStart } from '../../../k6/lib/shapes.js';
import type { Container } from '../../adapters/contract.ts';
import type { Action, PlannedFault, Put } from '../../adapters/faults.ts';
import { NotInjectedError } from '../../base/errors.ts';
import { containerOf } from '../../docker/ask-container.ts';
import { compareNames } from '../../docker/container-names.ts';
import type { Service } from '../../docker/containers.ts';
import { act } from '../../run/faults/fault-actions.ts';
import type { Injection } from '../../run/run-target.ts';

/** A container that does much may take long to start a program. */
const NEEDS_LIMIT_MS = 10_000;
/** What a command may take around the time that it is told to take, on a machine that is busy with the load. */
const AROUND_COMMAND_S = 60;

/** @param whenUp called first, when the system is up */
export function injectionOf(
	{ id, title, service, how }: PlannedFault,
	whenUp: (stack: Service[]) => Promise<void> = async () => {},
): Injection {
	/** Done before the load, and perhaps still going on in it. */
	let before: Promise<void> = Promise.resolve();
	return {
		fault: how === null ? null : { id, title },
		put: how === null ? null : { how, service },
		whenUp: async ({ stack, shape, system, signal }) => {
			await whenUp(stack);
			if (how === null) return;
			before = act(actionsOf(how, containersIn(stack, service), shape, { before: true }), 0, signal, { system });
			// Awaited with the load; a failure before that must not be an unhandled one.
			before.catch(() => {});
		},
		duringLoad: async (beganS, { stack, shape, system, signal, over }) => {
			if (how === null) return;
			await act(actionsOf(how, containersIn(stack, service), shape, { before: false }), beganS, signal, { system, over });
			await before;
		},
	};
}

/**
 * Why a fault cannot be put into a system that is up.
 * @returns a clause; null when nothing is in its way
 */
export async function obstacleTo(
	{ service, how }: Pick<PlannedFault, 'service' | 'how'>,
	stack: Service[],
	open: (service: Service) => Pick<Container, 'execute'> = containerOf,
): Promise<string | null> {
	if (how?.needs === undefined) return null;
	const { command, otherwise } = how.needs;
	const answer = await open(firstOf(stack, service))
		.execute(command, NEEDS_LIMIT_MS)
		.catch(() => null);
	return answer?.exitCode === 0 ? null : otherwise;
}

/** @throws {NotInjectedError} */
function firstOf(stack: Service[], service: string) {
	const [first] = stack.filter((container) => container.service === service).toSorted((one, other) => compareNames(one.name, other.name));
	if (first) return first;
	throw new NotInjectedError(`${service} has no container`);
}

/** The containers of a fault of one service: that service's first, or another's. One that names its services names their containers. */
const containersIn: (stack: Service[], service: string) => (named: string | undefined) => string = (stack, service) => (named) =>
	service === '' ? String(named) : firstOf(stack, named ?? service).name;

/**
 * @param containerFor the name of the container that a service stands for
 * @param when before: those that are done before the load; else those in it
 */
export function actionsOf(
	{ actions = [] }: Pick<Put, 'actions'>,
	containerFor: (service: string | undefined) => string,
	shape: Shape,
	{ before }: { before: boolean },
): Action[] {
	const loadS = loadDuration(shape);
	// What begins before the load has to go on for what comes before it too.
	const aheadS = before ? loadStart(shape) : 0;
	return actions
		.filter(({ at }) => (at === 'up') === before)
		.map(({ at, service, other, lasts = 0, command, ...action }) => ({
			after_s: at === 'up' ? 0 : at * loadS,
			service: containerFor(service),
			...action,
			...(other === undefined ? {} : { other: containerFor(other) }),
			...(command ? executed(command, lasts * loadS + aheadS) : {}),
		}));
}

const executed: (command: (seconds: number) => string[], seconds: number) => Pick<Action, 'command' | 'limit_s'> = (command, seconds) => ({
	command: command(seconds),
	limit_s: Math.ceil(seconds) + AROUND_COMMAND_S,
});
