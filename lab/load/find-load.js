/**
 * What lies beside the Compose file and could be the load: k6 scripts, OpenAPI documents, and requests recorded for other programs. They are read and never run; links are not
 * followed. The nearest comes first, and of those that are equally near the one that is most likely meant by its name.
 *
 * @typedef {{ file: string, text: string }} Found  file: as seen from the folder
 * @typedef {{ scripts: Found[], documents: Found[], recordings: Found[] }} Candidates
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, posix } from 'node:path';
import { init, parse } from 'es-module-lexer';
import { KINDS } from './recorded-requests.js';

await init;

/** Folders below the Compose file's. */
const DEPTH_MOST = 3;
/** Of files and folders that are looked at, in all: `init` takes a second. */
const ENTRIES_MOST = 5000;
const BYTES_MOST = 1 << 20;
/** A recording of a browser holds what was answered too. */
const RECORDING_BYTES_MOST = 64 << 20;
/** Of others, of builds, and of the lab. */
const LEFT_OUT = new Set(['node_modules', 'vendor', 'dist', 'build', 'target', 'coverage', 'venv', '__pycache__', 'reports']);
const SCRIPTS = ['.js', '.mjs', '.ts'];
const DOCUMENTS = ['.yaml', '.yml', '.json'];
const RECORDINGS = ['.har', '.http', '.rest', '.json', '.xml'];
/** The likeliest first. */
const SCRIPT_NAMES = [/^load\.\w+$/, /^(k6|.*[._-]k6|k6[._-].*)\.\w+$/, /load|perf|bench|stress/, /smoke|spike|soak/];
const DOCUMENT_NAMES = [/^openapi\.\w+$/, /openapi/, /^swagger\.\w+$/, /swagger|api/];
/** At the first level of the document, in YAML and in JSON. */
const DESCRIBES_API = /^(?:\{?\s{0,4}"(?:openapi|swagger)"|(?:openapi|swagger))\s*:/m;
const NAMES_FUNCTION = /\bexec\s*:/;

/**
 * @param {string} folder
 * @returns {Candidates} each in the order in which they are to be taken
 */
export function candidatesIn(folder) {
  const files = filesIn(folder);
  const readable = (/** @type {string[]} */ endings, /** @type {(text: string, file: string) => boolean} */ is, most = BYTES_MOST) =>
    files
      .filter((file) => endings.includes(extname(file)) && !file.endsWith('.d.ts'))
      .flatMap((file) => {
        const text = textOf(join(folder, file), most);
        return text !== null && is(text, file) ? [{ file, text }] : [];
      });
  return {
    scripts: readable(SCRIPTS, isScript).toSorted(byNearness(SCRIPT_NAMES)),
    documents: readable(DOCUMENTS, (text) => DESCRIBES_API.test(text)).toSorted(byNearness(DOCUMENT_NAMES)),
    recordings: KINDS.flatMap(({ is }) =>
      readable(RECORDINGS, (text, file) => is(file, text), RECORDING_BYTES_MOST).toSorted(byNearness([])),
    ),
  };
}

/** @param {string} folder @returns {string[]} as seen from it, breadth first */
function filesIn(folder) {
  const files = /** @type {string[]} */ ([]);
  let looked = 0;
  let level = [''];
  for (let depth = 0; depth <= DEPTH_MOST && level.length > 0; depth += 1) {
    const next = /** @type {string[]} */ ([]);
    for (const place of level) {
      for (const entry of entriesOf(join(folder, place))) {
        looked += 1;
        if (looked > ENTRIES_MOST) return files;
        const path = posix.join(place, entry.name);
        if (entry.isFile()) files.push(path);
        else if (entry.isDirectory() && !entry.name.startsWith('.') && !LEFT_OUT.has(entry.name)) next.push(path);
      }
    }
    level = next;
  }
  return files;
}

/** @param {string} folder */
function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** @param {string} path @param {number} most  bytes */
function textOf(path, most) {
  try {
    return statSync(path).size > most ? null : readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** It sends requests, and has something that k6 could run. @param {string} text */
function isScript(text) {
  // The lexer takes long for what is no module of k6's anyway.
  if (!text.includes('k6/http')) return false;
  try {
    const [imports, exports] = parse(text);
    const names = exports.map(({ n }) => n);
    const sends = imports.some(({ n, d }) => n === 'k6/http' && d === -1);
    return sends && (names.includes('default') || (names.includes('options') && NAMES_FUNCTION.test(text)));
  } catch {
    // TypeScript is not read by it.
    return /^\s*import\b[^;]*['"]k6\/http['"]/m.test(text) && /^export default\b/m.test(text);
  }
}

/** @type {(names: RegExp[]) => (one: Found, other: Found) => number} */
const byNearness = (names) => (one, other) => {
  const rankOf = (/** @type {Found} */ { file }) => {
    const found = names.findIndex((pattern) => pattern.test(posix.basename(file).toLowerCase()));
    return [file.split('/').length, found < 0 ? names.length : found];
  };
  const [[depth, rank], [otherDepth, otherRank]] = [rankOf(one), rankOf(other)];
  return depth - otherDepth || rank - otherRank || (one.file < other.file ? -1 : 1);
};
