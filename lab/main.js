/**
 * The command line behind the Makefile: reads what is wanted, does it, says how it ended.
 */
import { Command } from 'commander';
import { init } from './attach/commands.js';
import { benchOverhead } from './bench-overhead.js';
import { calibrate } from './calibrate.js';
import { clean, images, report, run, runOwn } from './commands.js';
import { EXIT, LabError } from './define/errors.js';
import { ALL } from './define/findings.js';
import { experimentAll } from './experiment/all.js';
import { compare, experiment } from './experiment/command.js';
import { excerpt } from './experiment/excerpt.js';
import { findings } from './experiment/findings.js';
import { list } from './list.js';
import { selftest } from './selftest/selftest.js';

/** In which the command was given; `lab/doubletake` goes to the lab's own. */
const FOLDER = process.env.DOUBLETAKE_FOLDER || process.cwd();
process.chdir(FOLDER);

const interruption = new AbortController();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    if (interruption.signal.aborted) return;
    process.stderr.write('\n  interrupted: taking the stack down, keeping what was measured\n');
    interruption.abort();
  });
}
// Whoever read the lines is gone, as in "make run-a | head": what is up must come down all the same.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error) => {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPIPE') throw error;
    interruption.abort();
  });
}

/** @param {() => Promise<number>} command */
async function finish(command) {
  try {
    process.exitCode = await command();
  } catch (error) {
    if (interruption.signal.aborted) {
      process.exitCode = EXIT.interrupted;
      return;
    }
    if (!(error instanceof LabError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = error.exitCode;
  }
}

const { signal } = interruption;
const program = new Command('doubletake').description('A scaling lab: which tier lost each failed request, and why.');
// Before the commands: they inherit it.
program.exitOverride((error) => process.exit(error.exitCode === 0 ? EXIT.done : EXIT.notReady));
program
  .command('init')
  .description('look at the Compose file in this folder, and write doubletake.yaml')
  .action(() => finish(() => init(FOLDER)));
program
  .command('run [architecture]')
  .description('measure one architecture, or the system of doubletake.yaml in this folder, under one load, once')
  .option('--allow-data', 'put the load on data that is there already: mounts and volumes of your own')
  .action((architecture, { allowData = false }) =>
    finish(() => (architecture ? run(architecture, process.env, signal) : runOwn(FOLDER, process.env, { allowData, signal }))),
  );
program
  .command('compare')
  .description('measure two architectures in turns, and say whether one is better')
  .action(() => finish(() => compare(process.env, signal)));
program
  .command('experiment <id>')
  .description('answer a question with several architectures, and judge its claims; "all": every one that has claims')
  .action((id) => finish(() => (id === ALL ? experimentAll(process.env, signal) : experiment(id, process.env, signal))));
program
  .command('findings [folder]')
  .description('the verdicts of all claims in one table, from what was measured')
  .action((folder) => finish(() => findings(folder || process.env.RUN)));
program
  .command('report [run]')
  .description('build result and report again from the raw record')
  .action((path) => finish(() => report(path || process.env.RUN, process.env)));
program
  .command('excerpt [experiment] [folder]')
  .description('copy an experiment without its raw records, to be shared')
  .action((from, into) => finish(() => excerpt(from || process.env.RUN, into || process.env.INTO)));
program
  .command('list')
  .description('name what can be run, and what was')
  .action(() => finish(() => list(FOLDER)));
program
  .command('images')
  .description('get or build the images')
  .action(() => finish(() => images(process.env, signal)));
program
  .command('calibrate')
  .description('measure what a request costs each tier on this machine')
  .action(() => finish(() => calibrate(process.env, signal)));
program
  .command('bench-overhead')
  .description('what the lab itself costs')
  .action(() => finish(() => benchOverhead(process.env, signal)));
program
  .command('selftest')
  .description('put known faults in, and see whether the ledger names them')
  .action(() => finish(() => selftest(process.env, signal)));
program
  .command('clean')
  .description('remove containers, networks and volumes of the lab')
  .action(() => finish(clean));
await program.parseAsync();
