/**
 * The thresholds of a run as JUnit XML, which continuous integration reads: one test case for each.
 *
 * @typedef {import('../record/result.js').Result} Result
 * @typedef {import('../diagnose/expectations.js').Judged} Judged
 */
import library from 'junit-report-builder';

/** The package gives its builder as the module itself, where its types speak of a default. */
const shared = /** @type {import('junit-report-builder').Builder} */ (/** @type {unknown} */ (library));

/**
 * A threshold that is not met is a failure; of a run that is INVALID each is an error, for nothing was tested.
 * @param {object} input
 * @param {string} input.suite  name of the suite
 * @param {Result} input.result
 * @param {Judged[]} input.judged
 * @returns {string}
 */
export function formatJUnit({ suite: name, result, judged }) {
  const builder = shared.newBuilder();
  const suite = builder.testSuite().name(name).timestamp(result.started).time(result.duration_s);
  for (const [property, value] of Object.entries(propertiesOf(result))) suite.property(property, value);
  for (const { text, verdict, reason } of judged) {
    const testCase = suite.testCase().className(name).name(text);
    if (verdict === 'not judged') testCase.error(invalidity(result), 'INVALID', cdata(details(invalidity(result), result)));
    if (verdict === 'not met') testCase.failure(reason, 'threshold not met').stacktrace(cdata(details(reason, result)));
  }
  return builder.build();
}

/** @param {Result} result @returns {Record<string, string>} */
const propertiesOf = ({ run, architecture, load, budget, command, validity, gone_writes: gone }) => ({
  run,
  architecture,
  load,
  budget,
  // The result has no seed of its own; the command that repeats the run always names it.
  seed: /\bSEED=(\d+)/.exec(command)?.[1] ?? '',
  command,
  validity: [validity.verdict, ...validity.reasons].join('; '),
  // Whatever was asked for.
  ...(gone?.text ? { gone_writes: [gone.text, ...gone.to_do].join(' ') } : {}),
});

/** @param {Result} result */
const invalidity = ({ validity }) => `the run is INVALID, so no threshold was judged: ${validity.reasons.join('; ')}`;

/** Some readers show the text of the element alone, so it says everything. @type {(reason: string, result: Result) => string} */
const details = (reason, { headline, command }) => `${reason}\n${headline}\nRepeat it with: ${command}`;

/** A CDATA section ends at the first `]]>`, of which the package splits only one. @param {string} text */
const cdata = (text) => text.replaceAll(']]>', ']] >');
