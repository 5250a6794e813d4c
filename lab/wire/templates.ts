/**
 * What was asked, without anything of who asked: paths and statements as templates. A template may lose a difference; it may never keep
 * a value.
 */

const PATH_LENGTH = 200;
/** Of an address: what stands behind them is not in the template. */
const PATH_READ = 2048;
const STATEMENT_LENGTH = 160;
const TABLES_MOST = 4;
/** Words in paths are short and have few digits; ids, hashes, tokens and names with a number are not. */
const WORD_LENGTH = 24;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const WORD = /^[A-Za-z_~.-]*(?:v\d{1,2})?[A-Za-z_~.-]*$/;
const EXTENSION = /\.(?:html?|php|js|mjs|css|json|xml|txt|png|jpe?g|gif|svg|webp|ico|woff2?|map|pdf|aspx?|jsp|do|wasm)$/;
const HEX = /^[0-9a-f]{8,}$/i;
/** A path of them alone is its template: of each word as short as this `maskSegment` says so, in many times the time. */
const SHORT_WORDS = /^\/(?:[a-z]{1,7}(?:\/[a-z]{1,7})*)?$/;

/**
 * A path without query and fragment, with whatever may be a value masked: `/users/:n/orders/:id`.
 * @param target of a request line: a path, or an address with one
 */
export function pathTemplate(target: string) {
	if (target.length <= PATH_LENGTH && SHORT_WORDS.test(target)) return own(target);
	const path = target
		.slice(0, PATH_READ)
		.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
		.replace(/[?#;].*$/s, '');
	const masked = path.split('/').map(maskSegment).join('/');
	return own(masked.length > PATH_LENGTH ? `${masked.slice(0, masked.lastIndexOf('/', PATH_LENGTH))}/…` : masked || '/');
}

/** A part of a text keeps the whole in memory, for as long as it is kept itself: some kilobytes for an id. */
const own = (part: string) => (part.length < PART_LEAST ? part : Buffer.from(part).toString());
/** Shorter ones are copies already (V8, SlicedString::kMinLength). */
const PART_LEAST = 13;

function maskSegment(segment: string) {
	if (segment === '' || segment === '*') return segment;
	if (/^\d+$/.test(segment)) return ':n';
	if (UUID.test(segment)) return ':uuid';
	const extension = EXTENSION.exec(segment)?.[0] ?? '';
	const name = segment.slice(0, segment.length - extension.length);
	if (WORD.test(name) && name.length <= WORD_LENGTH && !HEX.test(name) && !isScrambled(name)) return segment;
	return `:id${extension}`;
}

/** A host's name: labels that may be a value are masked. */
export const hostTemplate = (name: string) =>
	name
		.toLowerCase()
		.split('.')
		.map((label) => (/^[a-z_-]{1,24}\d?$/.test(label) ? label : ':id'))
		.join('.')
		.slice(0, PATH_LENGTH);

/** Capitals within a word twice or more, as in base64: `aGVsbG8`. `getUserById` has them too, and is three words. */
const isScrambled = (text: string) => /[A-Z][a-z]?[A-Z]/.test(text) && /[a-z]/.test(text);

/**
 * A statement's verb and tables: `SELECT orders, users`. Literals, columns, comments and all else are left out.
 * @param text may be cut
 * @param nameQuote what names may be written in; whatever stands in other quotes is a value
 */
export function statementTemplate(text: string, nameQuote: '"' | '`' | '' = ''): { verb: string; template: string } {
	const bare = safePart(text.slice(0, STATEMENT_READ).replace(LEADING, ''));
	const verb = /^([A-Za-z]{2,12})\b/.exec(bare)?.[1].toUpperCase() ?? '';
	if (!VERBS.has(verb)) return { verb: '', template: '' };
	const [, words, called] = OF_LOCK.exec(bare) ?? [];
	if (words !== undefined) return { verb, template: `${verb} TABLES WITH READ LOCK` };
	if (called !== undefined) return { verb, template: `${verb} ${called.toLowerCase()}()` };
	const tables = new Set();
	for (const { groups } of bare.matchAll(TOKEN)) {
		const names = (groups?.names ?? '').split('.');
		const isName = names[0] !== '' && names.every((name) => /^\w/.test(name) || name[0] === nameQuote);
		const plain = names.join('.').replace(/["`]/g, '').toLowerCase();
		if (isName && !NO_TABLE.has(plain) && tables.size < TABLES_MOST) tables.add(plain.replace(/\d{2,}/g, ':n'));
	}
	return { verb, template: [verb, [...tables].join(', ')].filter(Boolean).join(' ').slice(0, STATEMENT_LENGTH) };
}

const STATEMENT_READ = 4096;
/** Statements that take a lock or give one back, though neither their verb nor their tables tell so. */
const OF_LOCK =
	/^(?:flush\s+(?:(?:no_write_to_binlog|local)\s+)?tables?\b[^;'"]*\b(with\s+read\s+lock)\b|(?:select|do)\s+(get_lock|release_lock|release_all_locks|pg_advisory_(?:xact_)?(?:un)?lock(?:_shared|_all)?)\s*\()/i;
/** Comments and brackets before the first word: generated queries have their name there. */
const LEADING = /^(?:\s+|[(;]|--[^\n]*(?:\n|$)|\/\*[\s\S]*?(?:\*\/|$))+/;
/** From these on dialects differ about where a text ends, so that a value might be taken for a statement: nothing after them is read. */
const UNSAFE = /\\|\$[A-Za-z_]*\$|--|#/;

function safePart(text: string) {
	const at = text.search(UNSAFE);
	return at < 0 ? text : text.slice(0, at);
}

const NAME = '[A-Za-z_][A-Za-z0-9_$]{0,63}';
const QUOTED = `(?:"${NAME}"|\`${NAME}\`|${NAME}(?![\\w$]))`;
const PLACE = '\\b(?:from|into|update|join|table(?:\\s+if(?:\\s+not)?\\s+exists)?)\\s+(?:only\\s+)?';
/** A comment, a text in quotes, or a name where a table stands. */
const TOKEN = new RegExp(
	`\\/\\*[\\s\\S]*?(?:\\*\\/|$)|'[^']*(?:'|$)|${PLACE}(?<names>${QUOTED}(?:\\.${QUOTED})?)|"[^"]*(?:"|$)|\`[^\`]*(?:\`|$)`,
	'gi',
);
const NO_TABLE = new Set(['select', 'set', 'values', 'lateral', 'unnest', 'only', 'if', 'skip', 'nowait', 'of']);
const VERBS = new Set(
	(
		'SELECT INSERT UPDATE DELETE MERGE REPLACE WITH VALUES TABLE CALL DO EXECUTE EXEC PREPARE DEALLOCATE DECLARE FETCH CLOSE MOVE COPY ' +
		'BEGIN START COMMIT END ROLLBACK ABORT SAVEPOINT RELEASE SET SHOW RESET DISCARD USE PING EXPLAIN DESCRIBE DESC ANALYZE VACUUM ' +
		'CREATE ALTER DROP TRUNCATE GRANT REVOKE LOCK UNLOCK LISTEN UNLISTEN NOTIFY REFRESH REINDEX CHECKPOINT OPTIMIZE KILL LOAD HANDLER XA ' +
		'RENAME COMMENT FLUSH CHECK REPAIR CLUSTER IMPORT'
	).split(' '),
);

/** An id as it may be kept: what is longer, or has other signs than ids have, may carry content. */
export const plainId = (text: string, most: number) => (text.length <= most && /^[A-Za-z0-9._:-]+$/.test(text) ? own(text) : undefined);

/**
 * The trace's id of a `traceparent`.
 * @param text https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function traceId(text: string) {
	const found = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(text.trim());
	return found ? own(found[1]) : undefined;
}
