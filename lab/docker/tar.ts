/** Reads a file out of the archive that the engine gives of a path in a container, and makes one of an empty folder. */

import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { extract, pack } from 'tar-stream';

/**
 * @returns the first entry; null where it is a folder or there is none
 * @throws {Error} when it is cut off, or no archive
 */
export const firstEntry = (archive: Buffer): Promise<{ content: Buffer } | { link: string } | null> =>
	new Promise((resolve, reject) => {
		const reader = extract();
		reader.on('error', reject);
		reader.on('finish', () => resolve(null));
		// The next is never asked for.
		reader.on('entry', ({ type, linkname }, content) => {
			if (type === 'file') buffer(content).then((bytes) => resolve({ content: bytes }), reject);
			else resolve(type === 'symlink' ? { link: linkname ?? '' } : null);
		});
		reader.end(archive);
	});

/**
 * An archive with one empty folder in it.
 * @param folder mode: its permissions
 */
export function folderArchive({ name, ...folder }: { name: string; mode: number; uid: number; gid: number }): Readable {
	const archive = pack();
	archive.entry({ ...folder, name: `${name}/`, type: 'directory', mtime: new Date(0) });
	archive.finalize();
	return archive;
}
