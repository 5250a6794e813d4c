/**
 * What to try next: a system that takes away the cause of most failures, unless the lab's own experiments speak against it; of a run that
 * says nothing, what would make it say something.
 *
 * @typedef {import('../record/result.js').TryNext} TryNext
 * @typedef {import('../catalog/measured-reliefs.js').MeasuredRelief} MeasuredRelief
 * @typedef {import('../catalog/project-schema.js').Remedy} Remedy
 */

import { shellWord } from '../base/shell-word.js';
import { doorOf, spell, spellOwn } from '../base/spelling.js';
import { DEFAULT_BUDGET } from '../catalog/budgets.js';
import { isWorthTrying, measuredReliefs } from '../catalog/measured-reliefs.js';
import { CONDITIONS } from '../options/accepted-options.js';
import { count, percent, tierName } from '../stats/figure-words.js';

/** A variable of a command, whose value may stand in quotes. */
const VARIABLE = /(?<=^| )([A-Z_]+)=('[^']*'|\S+)/g;
/** Of a run that names none it is the same. */
const NO_QUOTAS = `BUDGET=${DEFAULT_BUDGET}`;

/** @param {string} command @returns {string[]} its variables that another run has to have too */
const conditionsIn = (command) =>
  [...command.matchAll(VARIABLE)].filter(([text, name]) => CONDITIONS.includes(name) && text !== NO_QUOTAS).map(([text]) => text);

/**
 * The remedies that take away the cause of most failures.
 * @param {{ id: string, remedies?: Remedy[] }} tried  id: by which stored experiments may have tried them
 * @param {{ command: string, load: string, hosts?: object[] }} manifest  of the run, whose command is spelt as it can be typed where it was made
 * @param {Pick<import('../record/result.js').Ledger, 'failures'>} ledger
 * @param {MeasuredRelief[]} [measured]  by stored experiments
 * @returns {TryNext[]}
 */
export function tryNextOf({ id, remedies = [] }, { command, load, hosts }, { failures: [worst] }, measured = measuredReliefs) {
  if (!worst) return [];
  const known = (/** @type {Remedy} */ { system }) => measured.filter((one) => one.base === id && one.relief === system);
  return remedies
    .filter((remedy) => remedy.causes.includes(worst.cause) && isWorthTrying(known(remedy), load))
    .map((remedy) => ({
      command:
        remedy.system === undefined
          ? spellOwn(['compare', '--b', asSide(remedy.variables ?? {})], [])
          : spell([hosts ? 'swarm' : 'run', remedy.system], conditionsIn(command), doorOf(command)),
      why: [`relieves ${tierName(worst.tier)}: ${remedy.change}`, ...(remedy.system === undefined ? [] : effectsOf(known(remedy)))].join(
        '; ',
      ),
    }));
}

/** @param {Record<string, string>} variables */
const asSide = (variables) =>
  shellWord(
    Object.entries(variables)
      .map(([name, value]) => `${name}=${value}`)
      .join(','),
  );

/** What stored experiments measured of it, the better first. @param {MeasuredRelief[]} measured @returns {string[]} clauses */
function effectsOf(measured) {
  const told = (/** @type {MeasuredRelief['verdict']} */ verdict, /** @type {string} */ before) =>
    measured
      .filter((one) => one.verdict === verdict)
      .map(({ failure_rate_base: base, failure_rate_relief: relief, blocks, load, experiment }) => {
        const failed = base === null || relief === null ? '' : `${percent(relief)} instead of ${percent(base)} failed in `;
        return `${before} ${failed}${count(blocks)} blocks under load ${load} (experiment ${experiment})`;
      });
  return measured.length === 0
    ? ['no stored experiment has measured it']
    : [...told('better', 'measured:'), ...told('worse', 'but worse:')];
}

/**
 * Of an INVALID run: the same again, with what made it so out of the way. Nothing that it found is a reason to change the system.
 * @param {{ command: string }} manifest
 * @param {string[]} steps  what to do first
 * @returns {TryNext[]}
 */
export const againOf = ({ command }, steps) => [
  { command, why: `again, for this run says nothing of the system; first ${steps.join(', and ')}` },
];
