/**
 * Reads one file of a user's k6 script: what it imports, and its text with the lab's module in the place of `k6`. Pure.
 *
 * Only `k6` has to be replaced, for its `check`; what `k6/http` exports is replaced while k6 runs (k6/lib/user-http.js says why the one
 * works and the other does not). An import is replaced where it stands, so that lines and columns in k6's messages stay true.
 * `require` is a function, which finds paths by the file that calls it; so each file that uses it gets one of its own, in its first
 * line. k6 1.1.0 and 2.2.0 have no `import()` (nothing sets SetImportModuleDynamically), so that is left alone.
 */

import { type ImportSpecifier, init, parse } from 'es-module-lexer';
import type { ScriptModule } from './wrapper.ts';

await init;

/** As the lexer marks an import that is a statement. */
const STATEMENT = -1;
const REPLACED = 'k6';
/** `require` with a literal. One in a comment is found too: its file is then read, and nothing else comes of it. */
const REQUIRED = /\brequire\s*\(\s*(['"`])([^'"`]+)\1\s*\)/g;
/** Files of data, by k6's own `open` and that of `k6/experimental/fs`. */
const OPENED = /\b(?:open|resolve)\s*\(\s*(['"`])([^'"`$]+)\1/g;
const USES_REQUIRE = /\brequire\b/;
const NAMES_K6 = /(['"`])k6\1/;
const OWN_REQUIRE = /\b(?:var|let|const|function|class)\s+require\b/;
/** `exec.test.abort()`, by any name: nothing else in k6 is called so. */
const ABORTS = /\babort\s*\(/;
const EXECUTION = /(['"`])k6\/execution\1/;
/** Answers of a page that send requests by themselves. */
const PAGE_METHODS = /\.(submitForm|clickLink)\s*\(/g;

/** @param replacement path of the module that stands in for `k6` */
export function readModule(source: string, replacement: string): ScriptModule {
	const found = {
		requires: allOf(source, REQUIRED, 2),
		opens: allOf(source, OPENED, 2),
		pageMethods: [...new Set(allOf(source, PAGE_METHODS, 1))],
		aborts: ABORTS.test(source) && EXECUTION.test(source),
	};
	const { statements, problem } = statementsOf(source);
	if (problem !== '') return { text: source, isChanged: false, imports: [], ...found, problem };
	let text = replaceEach(source, statements, replacement);
	if (USES_REQUIRE.test(source) && NAMES_K6.test(source) && !OWN_REQUIRE.test(source)) text = withRequire(text, replacement);
	return { text, isChanged: text !== source, imports: statements.flatMap(({ n }) => (n === undefined ? [] : [n])), ...found, problem };
}

type Statement = ImportSpecifier;

function statementsOf(source: string): { statements: Statement[]; problem: string } {
	try {
		const [imports] = parse(source);
		return { statements: imports.filter(({ d }) => d === STATEMENT), problem: '' };
	} catch (error) {
		return { statements: [], problem: (error as Error).message };
	}
}

/** @param statements in their order */
function replaceEach(source: string, statements: Statement[], replacement: string) {
	let text = '';
	let at = 0;
	for (const { n, s, e } of statements) {
		if (n !== REPLACED) continue;
		text += source.slice(at, s) + replacement;
		at = e;
	}
	return text + source.slice(at);
}

/**
 * A `require` of the file's own, which shadows k6's. k6 runs a file without imports and exports inside a function, so `var` is
 * the file's alone there too.
 */
function withRequire(text: string, replacement: string) {
	const own = `var require=((real)=>(name)=>real(name==="${REPLACED}"?"${replacement}":name))(globalThis.require);`;
	const begins = text.startsWith('#!') ? text.indexOf('\n') + 1 : 0;
	return text.slice(0, begins) + own + text.slice(begins);
}

const allOf = (source: string, pattern: RegExp, group: number) => [...source.matchAll(pattern)].map((match) => match[group]);
