/**
 * Was it asked for what it does not have? Its code says so; whose doing that was, who asked it and by which way tells.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */

/** @template {keyof Step} Fact @template {keyof Step['readings']} [Read=never] @typedef {import('./step.js').Of<Fact, Read>} Of */

import { GENERATOR_NAME } from '../../base/paths.js';
import { grouped } from '../../base/values.js';
import { GOOD_LEAST } from './asked.js';
import { GOOD } from './seen.js';
import { causeByCode, counted, things } from './text.js';

/** @type {Partial<Record<import('./text.js').Mechanism, { no: string, longer: (asker: string) => string, asked: (service: string) => string }>>} */
const UNFIT = {
  'statement-unfit': {
    no: 'the statement does not fit',
    longer: (asker) => `no longer had what ${asker} asks it for`,
    asked: (service) => `asked ${service} for what that does not have`,
  },
  'login-refused': {
    no: 'it does not let this user in',
    longer: (asker) => `no longer let ${asker} in as before`,
    asked: (service) => `asked ${service} as a user, or with a password, that it does not let in`,
  },
};

/**
 * Its code says that what was asked does not fit what is there: that is the asker's doing, unless such calls of his went well before. Who only
 * hands on what others ask did not think of it.
 * @param {Of<'caller' | 'codeCause' | 'failed' | 'seen' | 'service' | 'sign' | 'time'>} step @returns {Why | null}
 */
export function statementUnfit(step) {
  const { seen, service, caller, failed, time } = step;
  const reported = causeByCode(step);
  const unfit = reported && UNFIT[reported.cause];
  if (!unfit || caller === GENERATOR_NAME) return null;
  const kinds = new Set(failed.map((call) => seen.kind[call]));
  const alike = seen.servedBy(service).filter((call) => seen.sign[call] === GOOD && kinds.has(seen.kind[call]));
  const before = alike.filter((call) => seen.from[call] === caller && seen.over[call] <= time.from);
  const others = [...new Set(alike.map((call) => seen.from[call]))].filter((name) => name !== caller).sort();
  const wasGood = before.length >= GOOD_LEAST;
  const [asker = caller] = clientsThrough(step);
  return {
    mechanism: reported.cause,
    title: wasGood ? unfit.longer(asker) : unfit.asked(service),
    basis: 'counted',
    place: { service: wasGood ? service : asker, edge: asker === caller ? { from: caller, to: service } : { from: asker, to: caller } },
    evidence: [
      `${service} answered ${reported.code} ${counted(reported.calls)} times: ${unfit.no}.`,
      ...(asker === caller ? [] : [`${caller} asks it what ${asker} asks ${caller}.`]),
      ...(wasGood ? [`${counted(before.length)} such calls of ${caller} had gone well before.`] : []),
      ...(!wasGood && others.length > 0
        ? [`${counted(alike.filter((call) => seen.from[call] !== caller).length)} calls of that kind by ${others.join(', ')} went well.`]
        : []),
    ],
  };
}

/**
 * What a session had prepared is of that connection alone. Who asks for it on another one has taken up a new one; who hands on what others ask, on
 * any connection that is free, has parted their sessions.
 * @param {Of<'caller' | 'codeCause' | 'failed' | 'seen' | 'service' | 'sign'>} step @returns {Why | null}
 */
export function statementElsewhere(step) {
  const { seen, service, caller } = step;
  const reported = causeByCode(step);
  if (reported?.cause !== 'statement-elsewhere' || caller === GENERATOR_NAME) return null;
  const clients = clientsThrough(step);
  const [inside, outside] = [seen.linesTo(caller), seen.lines(caller, service)];
  const text = `${service} answered ${reported.code} ${counted(reported.calls)} times: what was asked for had been prepared on another connection, or on this one already.`;
  if (clients.length === 0)
    return {
      mechanism: 'statement-elsewhere',
      basis: 'counted',
      place: { service: caller, edge: { from: caller, to: service } },
      evidence: [text],
    };
  return {
    mechanism: 'statement-elsewhere',
    title: `handed statements of ${clients.join(' and ')} on to connections to ${service} on which they had not been prepared`,
    basis: 'counted',
    place: { service: caller, edge: { from: caller, to: service } },
    evidence: [
      text,
      `${clients.join(' and ')} had ${things(inside.length, 'connection')} to ${caller}, and ${caller} ${things(outside.length, 'connection')} to ${service}.`,
    ],
  };
}

/** Who asks a caller in the protocol in which that asks the service: it hands on what they ask. @param {Of<'caller' | 'seen' | 'service'>} step @returns {string[]} those with most connections first */
function clientsThrough({ seen, caller, service }) {
  const protocols = new Set(seen.lines(caller, service).map(({ connection }) => connection.protocol));
  const lines = seen.linesTo(caller).filter(({ connection: { protocol } }) => protocol !== null && protocols.has(protocol));
  return [...grouped(lines, ({ from }) => from)]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([from]) => from)
    .filter((from) => from !== GENERATOR_NAME);
}
