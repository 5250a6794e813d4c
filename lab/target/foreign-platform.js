/**
 * Services for the processor of another machine.
 *
 * @typedef {[applies: boolean, changes: import('./compose-changes.js').Changes, what: string]} Rule  what: as a clause of which the service is
 *   the subject
 */
import { reset } from './compose-changes.js';

/** Names of Node's that images call otherwise, and those that the kernel's list of foreign programs has. @type {Record<string, string>} */
const OF_IMAGES = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };
/** @type {Record<string, string>} */
const OF_KERNEL = { amd64: 'x86_64', arm64: 'aarch64', 386: 'i386' };
const FOREIGN_PROGRAMS = '/proc/sys/fs/binfmt_misc';

/**
 * @param {{ platform?: string, build?: { platforms?: string[] } }} service
 * @param {{ arch: string, has: (path: string) => boolean }} machine
 * @returns {Rule[]}
 */
export function ofPlatform({ platform = '', build }, { arch, has }) {
  const [, wanted = ''] = platform.split('/');
  const isForeign = wanted !== '' && wanted !== (OF_IMAGES[arch] ?? arch);
  // Where the kernel has no such list at all, the engine is in a virtual machine that brings its own.
  const isEmulated = isForeign && (!has(FOREIGN_PROGRAMS) || has(`${FOREIGN_PROGRAMS}/qemu-${OF_KERNEL[wanted] ?? wanted}`));
  const builds = build?.platforms ? { build: { platforms: reset() } } : {};
  return [
    // An engine keeps an image of one platform only.
    [Object.keys(builds).length > 0 && !isForeign, builds, ''],
    [isForeign && isEmulated, builds, `emulated, because it is for ${platform}, so that it is slower than it would be there`],
    [
      isForeign && !isEmulated,
      { platform: reset(), ...builds },
      `for the processor of this machine, and not for ${platform}, which cannot run here`,
    ],
  ];
}
