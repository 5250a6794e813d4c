/**
 * The volumes of a stack on each host: the one of the record is made before any container, and all are removed with the stack.
 */
import { ignoreGone } from './helpers.js';

/** The lab's own (compose/lab.yaml). */
const LAB_LABEL = 'doubletake.lab=yes';
/** Of the record, in that file. */
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
  await connection.createVolume({ Name: name, DriverOpts: options, Labels: labels });
  return name;
}

/** @param {import('./engines.js').Engine} engine @param {string} stack */
export async function removeVolumes({ connection }, stack) {
  const { Volumes: volumes } = await connection.listVolumes({ filters: JSON.stringify({ label: [LAB_LABEL] }) });
  const own = (volumes ?? []).filter(({ Name: name }) => name.startsWith(`${stack}_`));
  await Promise.all(own.map(({ Name: name }) => connection.getVolume(name).remove().catch(ignoreGone)));
}
