/**
 * Starts the command line. The tables are read as its modules are loaded, before any command runs: a file of them that is at fault is told
 * like every other bad input.
 */
import { LabError } from '../base/errors.js';
import { createReporter, processOutputs } from './reporter.js';

try {
  await import('./main.js');
} catch (error) {
  if (!(error instanceof LabError)) throw error;
  const reporter = createReporter(await processOutputs());
  reporter.fail(error);
  reporter.end(error.exitCode);
  process.exitCode = error.exitCode;
}
