/**
 * What a builder gets from elsewhere for a Dockerfile before any command runs, and whom it asks for images. The file is read as BuildKit reads it, down
 * to quotes and ends of lines (its parser and its shell's words: https://github.com/moby/buildkit/tree/master/frontend/dockerfile): what one of the two
 * read otherwise would be got unseen. What only the builder knows is unknown here, such as variables of the image that a stage begins with.
 */

import { ownOf } from '../base/values.ts';

type Args = Record<string, string | null>;

/** registries: images, as they are asked for; unclear: of what may be an address, the line and the word */
type BuiltFrom = { fetched: string[]; images: string[]; unclear: { line: number; word: string }[] };

/** before: with which it begins; isOwn: the image that it begins with may be another's of this system, so that its variables are anything */
type Stage = { env: Map<string, string>; args: Map<string, string>; before?: Stage; isOwn: boolean; isBlind: boolean };

const UNKNOWN = '\0';
/** Of expansions in expansions, of the characters of a value or a name, of those of a line that adds, and of stages. */
const [DEPTH_MOST, WORD_MOST, LINE_MOST, STAGES_MOST] = [50, 4096, 65_536, 500];
const SHOWN_MOST = 100;
/** As Go has them, which are not those of JavaScript. */
const SPACE = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
const BLANKS = /[\t\v\f\r ]+/;
const LIST = /^\[(?:"(?:[^"\\]|\\.)*"|[\s,])*\]/;
const HEREDOC = /^\d*<<(-?)([^<]+)$/;

/** BuildKit runs it as the program that reads the file: https://docs.docker.com/build/buildkit/frontend/ */
const DIRECTIVE = /^(?:#|\/\/)[\t\f\r ]*(?<key>[a-z][a-z\d]*)[\t\f\r ]*=[\t\f\r ]*(?<value>\S+)/i;
/** Builders differ in where they heed it. */
const ESCAPE = /^[^\n]{0,99}#[^\n]{0,99}escape/im;
const OWN_SYNTAX = /^(docker\.io\/)?docker\/dockerfile(-upstream)?([:@]|$)/;
/** Of a file, or of a repository, which Git also takes as user@host:path. */
const ADDRESS = /(?:[a-z][a-z\d+.-]*:\/\/|\b[\w.+-]+@[^\s:/]+:|^github\.com\/).*$/is;
/** Its host is known, or it is a path of the folder. */
const SETTLED = /^(?:[a-z][a-z\d+.-]*:\/\/[^/]+\/|[\w.+-]+@[^:/]+:|[^:@]*\/|\d*<<)/i;

/** Directives stand before all else, in any order; a line for a shell may stand before them. */
function syntaxIn(text: string): string {
	const whole = text.replace(/^\uFEFF/, '').replace(/^#!.*\n?/, '');
	for (const line of whole.split('\n')) {
		const { key, value } = DIRECTIVE.exec(withoutSpace(line))?.groups ?? {};
		if (key === undefined) break;
		if (key.toLowerCase() === 'syntax') return value;
	}
	try {
		return String(JSON.parse(whole).syntax ?? '');
	} catch {
		return '';
	}
}

type Lexed = { whole: string; words: string[] };

/**
 * Takes quotes and escapes off and fills variables in.
 * @param known undefined: it is not set; without it all stays as it is written, as where a builder looks for texts in place
 * @throws {SyntaxError} where the builder ends, too
 * @throws {RangeError} where nobody follows
 */
function lex(text: string, escaper: string, { known, isRaw }: { known?: (name: string) => string | undefined; isRaw?: boolean }): Lexed {
	const signs = Array.from(text);
	let at = 0;
	const nameAt = () => {
		if (/^[@*#?$!-]$/.test(signs[at] ?? '')) return signs[at++];
		const kind = /\p{Nd}/u.test(signs[at] ?? '') ? /\p{Nd}/u : /[\p{L}\p{Nd}_]/u;
		let name = '';
		while (at < signs.length && kind.test(signs[at])) name += signs[at++];
		return name;
	};
	const dollar = (depth: number): string => {
		at += 1;
		if (signs[at] !== '{') {
			const name = nameAt();
			return name === '' ? '$' : known ? (known(name) ?? '') : `$${name}`;
		}
		at += 1;
		const name = '{}:'.includes(signs[at] ?? '}') ? fail() : nameAt();
		const value = known?.(name);
		const sign = signs[at++];
		if (sign === '}') return known ? (value ?? '') : `\${${name}}`;
		const how = sign === ':' ? signs[at++] : sign;
		if (!(sign === ':' ? '-+?' : '-+?#%/').includes(how ?? ' ')) fail();
		let word = scan(how === '/' ? '/' : '}', depth + 1, '#%/'.includes(how)).whole;
		if (how === '/') word += `/${scan('}', depth + 1, true).whole}`;
		if (!known) return `\${${name}${sign === ':' ? ':' : ''}${how}${word}}`;
		if (value === UNKNOWN) return value;
		const isSet = value !== undefined && !(sign === ':' && value === '');
		if (how === '+') return isSet ? word : '';
		if (!isSet) return how === '-' ? word : '';
		return '-?'.includes(how) ? value : UNKNOWN;
	};
	const quoted = (depth: number): string => {
		const quote = signs[at++];
		let got = isRaw ? quote : '';
		while (signs[at] !== quote) {
			if (at >= signs.length) fail();
			if (quote === '"' && signs[at] === '$') got += dollar(depth);
			else if (quote === '"' && signs[at] === escaper) {
				if (isRaw) got += escaper;
				at += 1;
				got += ['"', '$', escaper].includes(signs[at]) ? signs[at++] : escaper;
			} else got += signs[at++];
		}
		at += 1;
		return isRaw ? got + quote : got;
	};
	const scan = (stop: string, depth: number, keepsEscapes: boolean): Lexed => {
		if (depth > DEPTH_MOST) throw new RangeError(text);
		const words: string[] = [];
		let [whole, word] = ['', null as string | null];
		const add = (got: string, isOne: boolean) => {
			whole += got;
			if (isOne) word = (word ?? '') + got;
			else
				for (const one of got) {
					if (!SPACE.test(one)) word = (word ?? '') + one;
					else if (word !== null) {
						words.push(word);
						word = null;
					}
				}
		};
		for (; signs[at] !== stop; ) {
			if (at >= signs.length) {
				if (stop !== '') fail();
				break;
			}
			if (signs[at] === '$') add(dollar(depth), false);
			else if (signs[at] === '"' || signs[at] === "'") add(quoted(depth), true);
			else if (signs[at] === escaper) {
				add(`${keepsEscapes ? escaper : ''}${signs[at + 1] ?? ''}`, true);
				at += 2;
			} else add(signs[at++], false);
		}
		at += 1;
		return { whole, words: [...words, word ?? ''].filter((one) => one !== '') };
	};
	return scan('', 0, isRaw === true);
}

function fail(): never {
	throw new SyntaxError();
}

/** null: no reader gets on there */
function heredocsIn(line: string): { name: string; isIndented: boolean }[] | null {
	try {
		return lex(line, '\\', { isRaw: true }).words.flatMap((word) => {
			const [, indent, rest] = HEREDOC.exec(word) ?? [];
			if (rest === undefined) return [];
			const { words } = lex(rest, '\\', {});
			return words.length === 1 ? [{ name: words[0], isIndented: indent === '-' }] : [];
		});
	} catch (error) {
		return error instanceof RangeError ? null : [];
	}
}

type Instruction = { line: number; word: string; rest: string };

const withoutSpace = (text: string) => text.replace(SPACE, '');

function chomped(text: string): string {
	let end = text.length;
	while (text[end - 1] === '\r') end -= 1;
	return text.slice(0, end);
}

/** Of what follows a line that readers take differently nothing is known: it is the last, without a word. */
function* instructionsOf(text: string, escaper: string): Generator<Instruction> {
	const lines = text
		.replace(/^\uFEFF/, '')
		.split('\n')
		.map(chomped);
	const going = escaper === '`' ? /(^|[^`])`[ \t]*$/ : /(^|[^\\])\\[ \t]*$/;
	const isComment = (line: string) => withoutSpace(line).startsWith('#');
	for (let at = 0; at < lines.length; ) {
		const begun = at + 1;
		let line = isComment(lines[at]) ? '' : withoutSpace(lines[at]);
		at += 1;
		if (line === '') continue;
		const parts = [];
		for (;;) {
			parts.push(line.replace(going, '$1'));
			if (!going.test(line)) break;
			while (at < lines.length && (isComment(lines[at]) || withoutSpace(lines[at]) === '')) at += 1;
			if (at >= lines.length) break;
			line = lines[at];
			at += 1;
		}
		const joined = withoutSpace(parts.join(''));
		let [word, rest] = headOf(joined);
		const isLater = word === 'ONBUILD';
		if (isLater) [word, rest] = headOf(rest);
		const docs = ['ADD', 'COPY', 'RUN'].includes(word) && joined.includes('<<') ? heredocsIn(joined) : [];
		if (docs === null || (docs.length > 0 && listIn(rest) !== null)) {
			yield { line: begun, word: '', rest: joined };
			return;
		}
		yield { line: begun, word: isLater ? `ONBUILD ${word}` : word, rest };
		for (const { name, isIndented } of docs) {
			while (at < lines.length && (isIndented ? lines[at].replace(/^\t+/, '') : lines[at]) !== name) at += 1;
			at += 1;
		}
	}
}

function headOf(line: string): [string, string] {
	const [word] = line.split(BLANKS, 1);
	return [word.toUpperCase(), withoutSpace(line.slice(word.length))];
}

/** In brackets as JSON. What stands behind them makes it words of a shell for some builders. */
function listIn(rest: string): string[] | null {
	try {
		return JSON.parse(LIST.exec(rest)?.[0] ?? '').map(String);
	} catch {
		return null;
	}
}

/** The last is where they go. */
function sourcesIn(rest: string): string[] {
	const bare = rest.replace(/^(?:--[^\s"'\\`]+[\t\v\f\r ]+)*/, '');
	const list = listIn(bare);
	if (list !== null && /^\s*$/.test(bare.slice(LIST.exec(bare)?.[0].length))) return list.slice(0, -1);
	const words = bare.split(BLANKS).filter((word) => word !== '' && !word.startsWith('--'));
	return [...words.slice(0, -1), ...(list ?? [...bare.matchAll(/\[/g)].flatMap(({ index }) => listIn(bare.slice(index)) ?? []))];
}

/** @param isOwn whether an image, or another context of the build, is one that the system makes */
export function builtFrom(given: string, args: Args = {}, isOwn: (image: string) => boolean = () => false): BuiltFrom {
	const text = given.replaceAll(UNKNOWN, '\ufffd');
	const syntax = args.BUILDKIT_SYNTAX ?? syntaxIn(text);
	const found: BuiltFrom = {
		fetched: syntax === '' || OWN_SYNTAX.test(syntax) ? [] : [`docker-image://${syntax}`],
		images: [],
		unclear: [],
	};
	for (const escaper of ESCAPE.test(text) ? ['\\', '`'] : ['\\']) take(text, { escaper, args, isOwn, found });
	return found;
}

function take(
	text: string,
	{ escaper, args, isOwn, found }: { escaper: string; args: Args; isOwn: (image: string) => boolean; found: BuiltFrom },
): void {
	const globals: Stage = { env: new Map(), args: new Map(), isOwn: false, isBlind: false };
	const stages = new Map<string, Stage>();
	let [stage, count] = [globals, 0];
	for (const { line, word, rest } of instructionsOf(text, escaper)) {
		const inStage = (name: string) => {
			if (stage.isBlind) return UNKNOWN;
			return valueIn(stage, 'env', name) ?? (stage.isOwn ? UNKNOWN : (valueIn(stage, 'args', name) ?? UNKNOWN));
		};
		const filled = (raw: string, known: (name: string) => string | undefined = inStage) => {
			if (raw.length > WORD_MOST) return UNKNOWN;
			try {
				const { whole } = lex(raw, escaper, { known });
				return whole.length > WORD_MOST ? UNKNOWN : whole;
			} catch (error) {
				return error instanceof RangeError ? UNKNOWN : '';
			}
		};
		const asked = (image: string) => {
			if (!stages.has(image.toLowerCase()) && !(Number(image) < count) && !isOwn(image)) found.images.push(image.replaceAll(UNKNOWN, '…'));
		};
		const unclear = (raw: string) => {
			found.unclear.push({ line, word: raw.slice(0, SHOWN_MOST) });
			found.fetched.push(raw.slice(0, SHOWN_MOST));
		};
		if (word === '' || count > STAGES_MOST) {
			unclear(rest);
			return;
		}
		if (/^(ONBUILD )?ADD$/.test(word) && rest.length > LINE_MOST) unclear(rest);
		else if (/^(ONBUILD )?ADD$/.test(word)) {
			for (const raw of sourcesIn(rest)) {
				const source = filled(raw);
				// What is ordered for later is filled in then.
				const ways = word === 'ADD' ? [source] : [source, filled(raw, () => UNKNOWN)];
				const address = ADDRESS.exec(source)?.[0];
				if (ways.some((way) => way.includes(UNKNOWN) && !SETTLED.test(way.slice(0, way.indexOf(UNKNOWN))))) unclear(raw);
				if (address) found.fetched.push(address.replaceAll(UNKNOWN, '…'));
			}
		} else if (word === 'FROM') {
			const [image = '', as, name = ''] = rest.split(BLANKS).filter((one) => !one.startsWith('--'));
			const base = filled(image, (one) => globals.args.get(one) ?? UNKNOWN);
			const before = stages.get(base.toLowerCase());
			if (!before) asked(base);
			count += 1;
			const isUnseen = before?.isOwn ?? (base.includes(UNKNOWN) || isOwn(base));
			stage = { env: new Map(), args: new Map(), before, isOwn: isUnseen, isBlind: before?.isBlind ?? false };
			if (as?.toUpperCase() === 'AS') stages.set(name.toLowerCase(), stage);
		} else if (word === 'ENV' || word === 'ARG') {
			const pairs = pairsIn(rest, escaper, word);
			// All at once: none sees what stands before it in the line.
			const set = pairs?.map(([name, value]) => [filled(name), value === null ? null : filled(value)] as const);
			if (set?.some(([name]) => name.includes(UNKNOWN)) ?? true) stage.isBlind = true;
			for (const [name, own] of set ?? []) {
				const value = word === 'ENV' ? own : (ownOf(args, name) ?? own ?? globals.args.get(name) ?? null);
				(word === 'ENV' ? stage.env : stage.args).set(name, value ?? UNKNOWN);
			}
		}
		// Of another stage, or another image.
		for (const [, from] of /(COPY|RUN)$/.test(word) ? rest.matchAll(/\bfrom=["']?([^\s,"']+)/gi) : []) asked(filled(from));
	}
}

const valueIn = (stage: Stage | undefined, kind: 'env' | 'args', name: string): string | undefined => {
	for (let one = stage; one; one = one.before) if (one[kind].has(name)) return one[kind].get(name);
	return undefined;
};

/** null where the builder may split it otherwise */
function pairsIn(rest: string, escaper: string, word: string): [string, string | null][] | null {
	if ((rest.includes("'") && rest.includes(escaper)) || /\$\{(?:[^}$]|\$(?!\{))*[\s'"\\`]/.test(rest)) return null;
	try {
		const { words } = lex(rest, escaper, { isRaw: true });
		if (word === 'ENV' && words.length > 0 && !words[0].includes('=')) {
			const [name] = rest.split(BLANKS, 1);
			return [[name, withoutSpace(rest.slice(name.length))]];
		}
		return words.map((one) => (one.includes('=') ? [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)] : [one, null]));
	} catch {
		return null;
	}
}
