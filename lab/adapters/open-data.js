/**
 * Folders in which databases keep their data: by which files one is known, and which says that a server has it open. Its copy would be of
 * several moments at once. What lies in folders of other things too (a snapshot, a database of one file) makes none a database's.
 *
 * @typedef {{ name: string, bytes: number }} Found  a file in the folder
 */

/** @type {{ product: string, marks: RegExp, opened: (file: Found) => boolean }[]} */
const STORES = [
  // https://www.postgresql.org/docs/current/storage-file-layout.html
  { product: 'postgres', marks: /^PG_VERSION$/, opened: ({ name }) => name === 'postmaster.pid' },
  // https://dev.mysql.com/doc/refman/8.4/en/data-directory.html
  { product: 'mysql', marks: /^(ibdata1|mysql\.ibd|aria_log_control)$/, opened: ({ name }) => /\.pid$/.test(name) },
  // Emptied by a server that ends well; WiredTiger.lock stays, and is locked while one runs.
  { product: 'mongo', marks: /^(WiredTiger|mongod\.lock)$/, opened: ({ name, bytes }) => name === 'mongod.lock' && bytes > 0 },
];

/**
 * @param {Found[]} files  of the folder, not of those in it
 * @returns {{ isStore: boolean, openedBy: string | null }} openedBy: the file that says so
 */
export function dataIn(files) {
  const stores = STORES.filter(({ marks }) => files.some(({ name }) => marks.test(name)));
  const opened = files.find((file) => stores.some((store) => store.opened(file)));
  return { isStore: stores.length > 0, openedBy: opened?.name ?? null };
}
