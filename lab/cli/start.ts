/**
 * Starts the command line. The tables are read as its modules are loaded, before any command runs: a file of them that is at fault is told
 * like every other bad input.
 */
import { EXIT, LabError } from '../base/errors.ts';
import { createReporter, processOutputs } from './reporter.ts';
import { endWhereItStandsStill } from './watchdog.ts';

/** @param error that no command has met */
async function tell(error: Error) {
	const exitCode = error instanceof LabError ? error.exitCode : EXIT.failed;
	const reporter = createReporter(await processOutputs());
	reporter.fail(error);
	reporter.end(exitCode);
	return exitCode;
}

// What Node.js would print itself may have bytes of a record in it.
endWhereItStandsStill();
process.on('uncaughtException', (error) => tell(error).then((exitCode) => process.exit(exitCode)));
await import('./main.ts').catch(async (error) => {
	process.exitCode = await tell(error);
});
