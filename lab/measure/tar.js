/**
 * Reads a file out of the archive that the engine gives of a path in a container, and makes one of an empty folder.
 * https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06 (ustar)
 */

export const BLOCK_BYTES = 512;
/** With two empty blocks an archive ends. */
export const ARCHIVE_END = Buffer.alloc(2 * BLOCK_BYTES);
/** Offset and length in a header. */
const FIELDS = { name: [0, 100], size: [124, 12], type: [156, 1], link: [157, 100] };
/** A plain file, in two spellings. */
const FILE = ['0', ''];
const SYMBOLIC_LINK = '2';
/** Records about the entry that follows. */
export const ABOUT_NEXT = ['x', 'g', 'L', 'K'];

/**
 * @param {Buffer} archive
 * @returns {{ content: Buffer } | { link: string } | null} the first entry; null where it is a folder or there is none
 */
export function firstEntry(archive) {
  for (let at = 0; at + BLOCK_BYTES <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK_BYTES);
    const type = fieldOf(header, 'type');
    const size = Number.parseInt(fieldOf(header, 'size'), 8) || 0;
    const begin = at + BLOCK_BYTES;
    if (FILE.includes(type)) return { content: archive.subarray(begin, begin + size) };
    if (type === SYMBOLIC_LINK) return { link: fieldOf(header, 'link') };
    if (!ABOUT_NEXT.includes(type)) return null;
    at = begin + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return null;
}

/**
 * @param {Buffer} header
 * @param {keyof typeof FIELDS} field
 */
export function fieldOf(header, field) {
  const [offset, length] = FIELDS[field];
  // A name may have blanks in it; they end a number.
  const end = field === 'name' ? /\0.*$/s : /[\0 ].*$/s;
  return header.toString('utf8', offset, offset + length).replace(end, '');
}

/** Of a header; the checksum is of the header with blanks in its place. */
const WRITTEN = {
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: 156,
  magic: 257,
};
const FOLDER = '5';

/**
 * An archive with one empty folder in it.
 * @param {{ name: string, mode: number, uid: number, gid: number }} folder  mode: its permissions
 * @returns {Buffer}
 */
export function folderArchive({ name, mode, uid, gid }) {
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (/** @type {number[]} */ [offset, length], /** @type {number} */ number) =>
    header.write(number.toString(8).padStart(length - 1, '0'), offset);
  header.write(`${name}/`);
  octal(WRITTEN.mode, mode);
  octal(WRITTEN.uid, uid);
  octal(WRITTEN.gid, gid);
  octal(WRITTEN.size, 0);
  octal(WRITTEN.mtime, 0);
  header.write(FOLDER, WRITTEN.type);
  header.write('ustar\x0000', WRITTEN.magic);
  const [offset, length] = WRITTEN.checksum;
  header.fill(' ', offset, offset + length);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(length - 2, '0')}\0 `, offset);
  return Buffer.concat([header, ARCHIVE_END]);
}
