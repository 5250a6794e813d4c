/**
 * Says whether a service runs a product: by the name of its image, else by the program that its command starts, else by where it keeps its
 * data, and by the port that it listens on only where none of these says anything.
 */

export const SHELLS = new Set(['sh', 'bash', 'ash', 'dash']);
/** Programs that only start another one. */
const STARTERS = new Set(['exec', 'env', 'nice', 'nohup', 'tini', 'dumb-init', 'docker-init']);
/** Those of them that take a user first. */
const STARTERS_AS_USER = new Set(['gosu', 'su-exec', 'setuidgid']);

/** `registry:5000/owner/postgres:15@sha256:...` is "postgres". */
export const imageName = (image: string) => lastPart(image.split('@')[0]).split(':')[0];

/** Of an image's name; empty where it has none. */
export const imageTag = (image: string) => lastPart(image.split('@')[0]).split(':')[1] ?? '';

export const lastPart = (path: string) => path.split('/').at(-1) ?? '';

/**
 * The programs that a command starts, as far as it names any: an entrypoint script and options alone name none.
 * @param command entrypoint and command together
 */
export function programsOf(command: string[]): string[] {
	const words = [...command];
	// What comes after `tini -g --` is the program, whatever its options.
	if (STARTERS.has(lastPart(words[0] ?? '')) && words.includes('--')) words.splice(0, words.indexOf('--') + 1);
	for (let at = 0; at < words.length; at += 1) {
		const name = lastPart(words[at]);
		if (SHELLS.has(name)) return programsOfScript(words.slice(at + 1));
		if (STARTERS_AS_USER.has(name)) at += 1;
		else if (!STARTERS.has(name) && !name.endsWith('.sh') && !/^\w+=/.test(words[at])) return name.startsWith('-') ? [] : [name];
	}
	return [];
}

/**
 * `-c "mkdir x && exec postgres"` starts mkdir and postgres; `-e run.sh` starts a script that says nothing.
 * @param words after the shell
 */
function programsOfScript(words: string[]) {
	const at = words.findIndex((word) => /^-\w*c$/.test(word));
	if (at < 0) return programsOf(words.filter((word) => !word.startsWith('-')));
	return (words[at + 1] ?? '').split(/&&|\|\||[;|&\n]/).flatMap((part) => programsOf(withoutSyntax(part)));
}

/** Before a program. */
const LEADING = new Set(['!', '{', 'do', 'elif', 'else', 'if', 'then', 'time', 'until', 'while']);
/** With which no program begins. */
const BARE = /^(#.*|[{})]+|case|done|esac|fi|for|function)$/;

/**
 * `do sleep 1` starts sleep; `for file in *` starts none.
 * @param part of a script
 * @returns words
 */
function withoutSyntax(part: string): string[] {
	const words = part
		.split(/\s+/)
		.map((word) => word.replace(/^\(+|\)+$/g, ''))
		.filter(Boolean);
	const first = words.findIndex((word) => !LEADING.has(word));
	return first < 0 || BARE.test(words[first]) ? [] : words.slice(first);
}
