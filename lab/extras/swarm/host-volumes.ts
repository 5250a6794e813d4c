/** The volumes of a stack on each host: the one of the record is made before any container, and all are removed with the stack. */

import { bearsOurs, STACK_LABEL } from '../../docker/containers.ts';
import { ignoreGone } from '../../docker/docker.ts';
import type { Engine } from './engines.ts';
import { YES } from './placement.ts';

/** Of the volume that the record is written to (compose/lab.yaml, lab/target/overlay.ts). */
const RECORD_LABEL = 'doubletake.record';

/**
 * @param volumes of the stack's file
 * @returns the name of the record's
 */
export async function makeRecordVolume({ connection }: Engine, stack: string, volumes: Record<string, any>): Promise<string> {
	const [key] = Object.keys(volumes).filter((one) => volumes[one].labels?.[RECORD_LABEL] === YES);
	const { driver_opts: options = {}, labels = {} } = volumes[key];
	const name = `${stack}_${key}`;
	// As Swarm labels the others.
	await connection.createVolume({ Name: name, DriverOpts: options, Labels: { ...labels, [STACK_LABEL]: stack } });
	return name;
}

/** Those that the lab made. */
export async function removeVolumes(engine: Engine, stack: string) {
	const { made } = await volumesOf(engine, stack);
	await Promise.all(made.map((name) => engine.connection.getVolume(name).remove().catch(ignoreGone)));
}

/**
 * What bears the stack's name, and whether the lab made it: any stack may be called so.
 * @returns names
 */
export async function volumesOf({ connection }: Engine, stack: string): Promise<{ made: string[]; foreign: string[] }> {
	const { Volumes: volumes } = await connection.listVolumes({ filters: JSON.stringify({ label: [`${STACK_LABEL}=${stack}`] }) });
	const namesOf = (ours: boolean) =>
		(volumes ?? []).filter(({ Labels: labels }) => bearsOurs(labels) === ours).map(({ Name: name }) => name);
	return { made: namesOf(true), foreign: namesOf(false) };
}
