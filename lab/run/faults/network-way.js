/**
 * The way between two containers of one network, and the commands that change it in their network namespaces, from this machine.
 *
 * @typedef {Pick<import('../../docker/containers.js').Service, 'name' | 'id' | 'pid' | 'addresses'>} End
 * @typedef {{ from: End, address: string, device: string }} Way  to the other end's address, through that device
 */
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { promisify } from 'node:util';
import { NotInjectedError, NotReadyError } from '../../base/errors.js';
import { isOnThisKernel } from '../../docker/cgroup.js';

const executed = promisify(execFile);

const LIMIT_MS = 5000;

/**
 * Told before the load: in the middle of it, it would cost the run.
 * @param {End} end
 * @param {string[]} command  a harmless one of the program that is to be used
 * @param {string} needed     for the message: what is expected of the machine
 * @throws {NotReadyError} when this machine cannot do it
 */
export async function checkReach(end, command, needed) {
  const isReachable = await access(namespaceOf(end), constants.R_OK).then(
    () => isOnThisKernel(end),
    () => false,
  );
  if (!isReachable)
    throw new NotReadyError(
      `FAULT: expected to reach the network of ${end.name}, to change a way of it; found no process of it on this machine.`,
      'run the lab as root on the machine that runs the containers, or choose another fault.',
    );
  await inNetworkOf(end, command).catch((error) => {
    throw new NotReadyError(
      `FAULT: expected ${needed}, to change a way of ${end.name}; found ${error.message}.`,
      'install what is missing and run the lab as root, or choose another fault.',
    );
  });
}

/**
 * @param {End} one
 * @param {End} other
 * @returns {Promise<Way[]>} from the one to the other; at least one
 * @throws {NotInjectedError} where they have no network in common
 */
export async function waysBetween(one, other) {
  const routes = await Promise.all(
    other.addresses.map(async (address) => ({ address, text: await inNetworkOf(one, ['ip', '-oneline', 'route', 'get', address]) })),
  );
  const ways = routes.flatMap(({ address, text }) => {
    const device = deviceOf(text);
    return device === null ? [] : [{ from: one, address, device }];
  });
  if (ways.length === 0) throw new NotInjectedError(`${one.name} and ${other.name} have no network in common`);
  return ways;
}

/** In both directions. @param {End} one @param {End} other @throws {NotInjectedError} as waysBetween */
export const waysOfBoth = async (one, other) => [...(await waysBetween(one, other)), ...(await waysBetween(other, one))];

/** @param {string} route  as `ip route get` prints it @returns {string | null} null where a gateway is between */
export const deviceOf = (route) => (/ via /.test(route) ? null : (/ dev (\S+)/.exec(route)?.[1] ?? null));

/** @param {Pick<End, 'pid'>} end */
const namespaceOf = ({ pid }) => `/proc/${pid}/ns/net`;

/** @param {End} end @param {string[]} command @returns {Promise<string>} what it prints @throws {NotInjectedError} */
export async function inNetworkOf(end, command) {
  try {
    return (await executed('nsenter', [`--net=${namespaceOf(end)}`, ...command], { timeout: LIMIT_MS })).stdout;
  } catch (error) {
    const { stderr, message } = /** @type {Error & { stderr?: string }} */ (error);
    throw new NotInjectedError(
      `"${command.join(' ')}" failed in the network of ${end.name}: ${(stderr?.trim() || message.split('\n')[0]).replace(/\.$/, '')}`,
    );
  }
}
