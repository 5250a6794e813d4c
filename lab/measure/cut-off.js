/**
 * Cuts the way between two containers of one network, and no other way of theirs: in both network namespaces the neighbour's link
 * address is set to one that nobody has, so that packets are sent and arrive nowhere, as with a cable that is pulled.
 * https://man7.org/linux/man-pages/man8/ip-neighbour.8.html
 *
 * @typedef {Pick<import('./containers.js').Service, 'name' | 'id' | 'pid' | 'addresses'>} End
 */
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { promisify } from 'node:util';
import { NotInjectedError, NotReadyError } from '../define/errors.js';
import { isOnThisKernel } from './cgroup.js';

const executed = promisify(execFile);

/** Administered locally (its second bit), and no container's: the engine gives random ones. */
const NOBODY = '02:00:00:00:00:01';
const LIMIT_MS = 5000;

/** @param {End} one @param {End} other @throws {NotInjectedError} */
export const cutOff = (one, other) =>
  onBothEnds(one, other, (address, device) => ['neigh', 'replace', address, 'lladdr', NOBODY, 'nud', 'permanent', 'dev', device]);

/** @param {End} one @param {End} other @throws {NotInjectedError} */
export const joinAgain = (one, other) => onBothEnds(one, other, (address, device) => ['neigh', 'del', address, 'dev', device]);

/**
 * Told before the load: in the middle of it, it would cost the run.
 * @param {End[]} ends
 * @throws {NotReadyError} when this machine cannot do it
 */
export async function checkCutting(ends) {
  for (const end of ends) {
    const isReachable = await access(namespaceOf(end), constants.R_OK).then(
      () => isOnThisKernel(end),
      () => false,
    );
    if (!isReachable)
      throw new NotReadyError(
        `FAULT: expected to reach the network of ${end.name}, to cut a way of it; found no process of it on this machine.`,
        'run the lab as root on the machine that runs the containers, or choose another fault.',
      );
    await ip(end, ['-brief', 'link']).catch((error) => {
      throw new NotReadyError(
        `FAULT: expected nsenter and ip, to cut a way of ${end.name}; found ${error.message}.`,
        'install util-linux and iproute2 and run the lab as root, or choose another fault.',
      );
    });
  }
}

/** @type {(one: End, other: End, command: (address: string, device: string) => string[]) => Promise<void>} */
async function onBothEnds(one, other, command) {
  const ways = [...(await waysBetween(one, other)), ...(await waysBetween(other, one))];
  if (ways.length === 0) throw new NotInjectedError(`${one.name} and ${other.name} have no network in common`);
  for (const { from, address, device } of ways) await ip(from, command(address, device));
}

/** @param {End} from @param {End} to @returns {Promise<{ from: End, address: string, device: string }[]>} */
async function waysBetween(from, to) {
  const routes = await Promise.all(
    to.addresses.map(async (address) => ({ address, text: await ip(from, ['-oneline', 'route', 'get', address]) })),
  );
  return routes.flatMap(({ address, text }) => {
    const device = deviceOf(text);
    return device === null ? [] : [{ from, address, device }];
  });
}

/** @param {string} route  as `ip route get` prints it @returns {string | null} null where a gateway is between */
export const deviceOf = (route) => (/ via /.test(route) ? null : (/ dev (\S+)/.exec(route)?.[1] ?? null));

/** @param {Pick<End, 'pid'>} end */
const namespaceOf = ({ pid }) => `/proc/${pid}/ns/net`;

/** @param {End} end @param {string[]} words @returns {Promise<string>} what it prints @throws {NotInjectedError} */
async function ip(end, words) {
  try {
    return (await executed('nsenter', [`--net=${namespaceOf(end)}`, 'ip', ...words], { timeout: LIMIT_MS })).stdout;
  } catch (error) {
    const { stderr, message } = /** @type {Error & { stderr?: string }} */ (error);
    throw new NotInjectedError(`"ip ${words.join(' ')}" failed in the network of ${end.name}: ${stderr?.trim() || message.split('\n')[0]}`);
  }
}
