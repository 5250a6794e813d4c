/**
 * The volumes of a stack on each host: the one of the record is made before any container, and all are removed with the stack.
 */
import { STACK_LABEL } from '../measure/containers.js';
import { ignoreGone } from '../measure/docker.js';

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

/** @param {import('./engines.js').Engine} engine @param {string} stack */
export async function removeVolumes({ connection }, stack) {
  const { Volumes: volumes } = await connection.listVolumes({ filters: JSON.stringify({ label: [`${STACK_LABEL}=${stack}`] }) });
  await Promise.all((volumes ?? []).map(({ Name: name }) => connection.getVolume(name).remove().catch(ignoreGone)));
}
