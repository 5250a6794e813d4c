/**
 * The command `export`: the timeline and the series of a finished run, in the files of other programs.
 *
 * @typedef {import('../../record/result.js').Result} Result
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EXIT, NotReadyError } from '../../base/errors.js';
import { RECORD } from '../../base/paths.js';
import { spell, spellOwn } from '../../base/spelling.js';
import { writeWhole } from '../../base/whole-file.js';
import { RESULT_SCHEMA_VERSION } from '../../record/result.js';
import { formatCsv } from './csv.js';
import { formatOtlp } from './otlp.js';
import { runSeries } from './run-series.js';

/** @type {Record<string, (series: import('./run-series.js').RunSeries[], seconds: number[], result: Result) => string>} */
const FORMATS = { csv: formatCsv, otlp: formatOtlp };
const EXAMPLE = spellOwn(['export', 'reports/latest/2a', '--csv', 'run.csv', '--otlp', 'run.json']);
/** What a file system says of a place that cannot be written to. */
const NO_PLACE = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'EROFS']);

/**
 * @param {string | undefined} path  of the run's folder
 * @param {Record<string, string | undefined>} files  by format; those without a name are not written
 * @param {import('../../cli/reporter.js').Reporter} reporter
 * @returns {Promise<number>} exit code
 * @throws {NotReadyError} when there is no such run, no file is wanted, or one cannot be written
 */
export async function exportRun(path, files, reporter) {
  const wanted = Object.keys(FORMATS).flatMap((format) => {
    const file = files[format];
    return file ? [{ format, file }] : [];
  });
  if (!path) throw new NotReadyError('export: expected the folder of a run; found none.', `say which: ${EXAMPLE}`);
  if (wanted.length === 0)
    throw new NotReadyError('export: expected a file to write, after --csv or --otlp or both; found none.', `say which: ${EXAMPLE}`);
  const result = await readResult(path);
  const seconds = result.timeline.map(({ t_s: second }) => second);
  const series = runSeries(result);
  const values = series.reduce((sum, one) => sum + one.values.filter((value) => value !== null).length, 0);
  for (const { format, file } of wanted) {
    await write(file, FORMATS[format](series, seconds, result), format);
    reporter.tell(`  ${file}: ${values.toLocaleString('en-US')} values of ${series.length} series\n`);
  }
  reporter.give({ result: { run: result.run, files: wanted, series: series.length, values } });
  return EXIT.done;
}

/** @param {string} path @returns {Promise<Result>} */
async function readResult(path) {
  const file = join(resolve(path), RECORD.result);
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null)
    throw new NotReadyError(
      `export: expected the folder of a run that ended, with its ${RECORD.result}; found none in ${path}.`,
      `"${spell(['list'])}" names the runs that there are; those of an experiment lie in its folder, below runs/.`,
    );
  const again = `make it again from the raw record: ${spell(['report', path])}`;
  /** @type {Result} */
  let result;
  try {
    result = JSON.parse(text);
  } catch (error) {
    throw new NotReadyError(`export: expected JSON in ${join(path, RECORD.result)}; found ${/** @type {Error} */ (error).message}.`, again);
  }
  if (result.schema === RESULT_SCHEMA_VERSION) return result;
  throw new NotReadyError(
    `export: expected version ${RESULT_SCHEMA_VERSION} of ${join(path, RECORD.result)}; found ${result.schema}.`,
    again,
  );
}

/** @param {string} file @param {string} text @param {string} format */
async function write(file, text, format) {
  try {
    await writeWhole(resolve(file), text);
  } catch (error) {
    const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (!NO_PLACE.has(code)) throw error;
    throw new NotReadyError(`--${format}: expected a file that can be written; found ${message}.`, 'name one in a folder that is there.');
  }
}
