/** What others publish beside a file that they do not: an example of it. */

import { basename, dirname, join } from 'node:path';

const KINDS = ['example', 'sample', 'template', 'dist', 'default'];

export function exampleOf(file: string, isThere: (file: string) => boolean): string | null {
	const name = basename(file);
	const plain = name.replace(/^\./, '');
	const names = KINDS.flatMap((kind) => [
		`${name}.${kind}`,
		`${plain}.${kind}`,
		`${kind}.${plain}`,
		`.${kind}.${plain}`,
		`${plain}-${kind}`,
	]);
	const found = names.find((one) => isThere(join(dirname(file), one)));
	return found === undefined ? null : join(dirname(file), found);
}
