/**
 * A fault in a run: what of it is otherwise in the system's files the target lays into them; what is done to containers is done here, before the
 * load and in it.
 *
 *
 * @import { Shape } from '../../../k6/lib/shapes.js'
 * @import { Container } from '../../adapters/contract.ts'
 * @import { Action, PlannedFault, Put } from '../../adapters/faults.ts'
 * @import { Service } from '../../docker/containers.ts'
 * @import { Injection } from '../../run/run-target.ts'
 */

import { loadDuration, loadStart } from '../../../k6/lib/shapes.js';
import { NotInjectedError } from '../../base/errors.ts';
import { containerOf } from '../../docker/ask-container.ts';
import { compareNames } from '../../docker/containers.ts';
import { act } from '../../run/faults/fault-actions.ts';

/** A container that does much may take long to start a program. */
const NEEDS_LIMIT_MS = 10_000;
/** What a command may take around the time that it is told to take, on a machine that is busy with the load. */
const AROUND_COMMAND_S = 60;

/**
 * @param {PlannedFault} fault
 * @param {(stack: Service[]) => Promise<void>} [whenUp]  called first, when the system is up
 * @returns {Injection}
 */
export function injectionOf({ id, title, service, how }, whenUp = async () => {}) {
	/** Done before the load, and perhaps still going on in it. @type {Promise<void>} */
	let before = Promise.resolve();
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
 * @param {Pick<PlannedFault, 'service' | 'how'>} fault
 * @param {Service[]} stack
 * @param {(service: Service) => Pick<Container, 'execute'>} [open]
 * @returns {Promise<string | null>} a clause; null when nothing is in its way
 */
export async function obstacleTo({ service, how }, stack, open = containerOf) {
	if (how?.needs === undefined) return null;
	const { command, otherwise } = how.needs;
	const answer = await open(firstOf(stack, service))
		.execute(command, NEEDS_LIMIT_MS)
		.catch(() => null);
	return answer?.exitCode === 0 ? null : otherwise;
}

/** @param {Service[]} stack @param {string} service @throws {NotInjectedError} */
function firstOf(stack, service) {
	const [first] = stack.filter((container) => container.service === service).toSorted((one, other) => compareNames(one.name, other.name));
	if (first) return first;
	throw new NotInjectedError(`${service} has no container`);
}

/**
 * The containers of a fault of one service: that service's first, or another's. One that names its services names their containers.
 * @type {(stack: Service[], service: string) => (named: string | undefined) => string}
 */
const containersIn = (stack, service) => (named) => (service === '' ? String(named) : firstOf(stack, named ?? service).name);

/**
 * @param {Pick<Put, 'actions'>} how
 * @param {(service: string | undefined) => string} containerFor  the name of the container that a service stands for
 * @param {Shape} shape
 * @param {{ before: boolean }} when  before: those that are done before the load; else those in it
 * @returns {Action[]}
 */
export function actionsOf({ actions = [] }, containerFor, shape, { before }) {
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

/** @type {(command: (seconds: number) => string[], seconds: number) => Pick<Action, 'command' | 'limit_s'>} */
const executed = (command, seconds) => ({ command: command(seconds), limit_s: Math.ceil(seconds) + AROUND_COMMAND_S });
