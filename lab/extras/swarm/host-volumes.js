/**
 * The volumes of a stack on each host: the one of the record is made before any container, and all are removed with the stack.
 */
import { bearsOurs, STACK_LABEL } from '../../docker/containers.js';
import { ignoreGone } from '../../docker/docker.js';

/** Of the record (compose/lab.yaml). */
const RAW = 'raw';

/**
 * @param {import('./engines.js').Engine} engine
 * @param {string} stack
 * @param {Record<string, any>} volumes  of the stack's file
 * @returns {Promise<string>} the name of the record's
 */
export async function makeRecordVolume({ connection }, stack, volumes) {
  const name = `${stack}_${RAW}`;
  const { driver_opts: options = {}, labels = {} } = volumes[RAW];
  // As Swarm labels the others.
  await connection.createVolume({ Name: name, DriverOpts: options, Labels: { ...labels, [STACK_LABEL]: stack } });
  return name;
}

/** Those that the lab made. @param {import('./engines.js').Engine} engine @param {string} stack */
export async function removeVolumes(engine, stack) {
  const { made } = await volumesOf(engine, stack);
  await Promise.all(made.map((name) => engine.connection.getVolume(name).remove().catch(ignoreGone)));
}

/**
 * What bears the stack's name, and whether the lab made it: any stack may be called so.
 * @param {import('./engines.js').Engine} engine
 * @param {string} stack
 * @returns {Promise<{ made: string[], foreign: string[] }>} names
 */
export async function volumesOf({ connection }, stack) {
  const { Volumes: volumes } = await connection.listVolumes({ filters: JSON.stringify({ label: [`${STACK_LABEL}=${stack}`] }) });
  const namesOf = (/** @type {boolean} */ ours) =>
    (volumes ?? []).filter(({ Labels: labels }) => bearsOurs(labels) === ours).map(({ Name: name }) => name);
  return { made: namesOf(true), foreign: namesOf(false) };
}
