/** The thresholds of a run as JUnit XML, which continuous integration reads: one test case for each. */

import library, { type Builder } from 'junit-report-builder';
import { withCodes } from '../base/hidden-characters.ts';
import type { Judged } from '../diagnose/expectations.ts';
import { knownCommand } from '../options/known-command.ts';
import { wordOf } from '../record/touches.ts';
import type { Result } from '../record/types.js';
import { NO_COMMAND } from './commands.ts';

/** The package gives its builder as the module itself, where its types speak of a default. */
const shared = library as unknown as Builder;

/**
 * A threshold that is not met is a failure; of a run that measured nothing each is an error, for nothing was tested. One that is met by a figure
 * in doubt says so, and is an error where doubts decide how the run ends.
 */
export function formatJUnit({
	suite: name,
	result,
	judged,
	strict = false,
}: {
	/** name of the suite */
	suite: string;
	result: Result;
	judged: Judged[];
	strict?: boolean;
}): string {
	const builder = shared.newBuilder();
	const suite = builder.testSuite().name(name).timestamp(result.started).time(result.duration_s);
	for (const [property, value] of Object.entries(propertiesOf(result))) suite.property(property, value);
	for (const { text, verdict, reason, doubts } of judged) {
		const testCase = suite.testCase().className(name).name(text);
		const doubt = `in doubt: ${doubts.join('; ')}`;
		if (doubts.length > 0) testCase.standardOutput(cdata(doubt));
		if (verdict === 'not judged') testCase.error(`no threshold was judged: ${reason}`, 'not judged', cdata(details(reason, result)));
		if (verdict === 'met' && strict && doubts.length > 0) testCase.error(`met, but ${doubt}`, 'in doubt', cdata(details(doubt, result)));
		if (verdict === 'not met') testCase.failure(reason, 'threshold not met').stacktrace(cdata(details(reason, result)));
	}
	// XML has no control character, not even escaped.
	return withCodes(builder.build());
}

const propertiesOf = ({ run, architecture, load, budget, command, validity, gone_writes: gone }: Result): Record<string, string> => ({
	run,
	architecture,
	load,
	budget,
	// The result has no seed of its own; the command that repeats the run always names it.
	seed: /\bSEED=(\d+)/.exec(command)?.[1] ?? '',
	command: knownCommand(command) ?? NO_COMMAND,
	validity: [wordOf(validity), ...validity.reasons].join('; '),
	// Whatever was asked for.
	...(gone?.text ? { gone_writes: [gone.text, ...gone.to_do].join(' ') } : {}),
});

/** Some readers show the text of the element alone, so it says everything. */
const details: (reason: string, result: Result) => string = (reason, { headline, command }) =>
	`${reason}\n${headline}\nRepeat it with: ${knownCommand(command) ?? NO_COMMAND}`;

/** A CDATA section ends at the first `]]>`, of which the package splits only one. */
const cdata = (text: string) => text.replaceAll(']]>', ']] >');
