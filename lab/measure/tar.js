/**
 * Reads a file out of the archive that the engine gives of a path in a container.
 * https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06 (ustar)
 */

const BLOCK_BYTES = 512;
/** Offset and length in a header. */
const FIELDS = { size: [124, 12], type: [156, 1], link: [157, 100] };
/** A plain file, in two spellings. */
const FILE = ['0', ''];
const SYMBOLIC_LINK = '2';
/** Records about the entry that follows. */
const ABOUT_NEXT = ['x', 'g', 'L', 'K'];

/**
 * @param {Buffer} archive
 * @returns {{ content: Buffer } | { link: string } | null} the first entry; null where it is a folder or there is none
 */
export function firstEntry(archive) {
  for (let at = 0; at + BLOCK_BYTES <= archive.length; ) {
    const field = (/** @type {number[]} */ [offset, length]) =>
      archive.toString('utf8', at + offset, at + offset + length).replace(/[\0 ].*$/s, '');
    const type = field(FIELDS.type);
    const size = Number.parseInt(field(FIELDS.size), 8) || 0;
    const begin = at + BLOCK_BYTES;
    if (FILE.includes(type)) return { content: archive.subarray(begin, begin + size) };
    if (type === SYMBOLIC_LINK) return { link: field(FIELDS.link) };
    if (!ABOUT_NEXT.includes(type)) return null;
    at = begin + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return null;
}
