/** What does its code say? Where it was asked for what it does not have, who asked it and by which way tells whose doing that was. */

import { GENERATOR_NAME } from '../../base/paths.ts';
import { grouped } from '../../base/values.ts';
import type { Mechanism } from '../../record/causes.ts';
import { mechanisms } from '../../record/causes.ts';
import { GOOD_LEAST } from './asked.ts';
import { GOOD } from './seen.ts';
import { kindsOf, mostFirst } from './spread.ts';
import type { Of, Step, Why } from './step.ts';
import { asked, causeByCode, counted, mebibytes, percent, things } from './text.ts';
import { keptText, turnedAwayTitle } from './why-slots.ts';

const UNFIT: Partial<Record<Mechanism, { no: string; longer: (asker: string) => string; asked: (service: string) => string }>> = {
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
 */
export function statementUnfit(step: Of<'caller' | 'codeCause' | 'failed' | 'seen' | 'service' | 'sign' | 'time'>): Why | null {
	const { seen, service, caller, failed, sign, time } = step;
	const byStatus = refusedByStatus(step);
	const reported = causeByCode(step) ?? byStatus;
	const unfit = reported && UNFIT[reported.cause];
	if (!unfit || caller === GENERATOR_NAME) return null;
	const kinds = kindsOf(seen, failed);
	const such = seen.servedBy(service).filter((call) => kinds.has(seen.kind[call]));
	const alike = such.filter((call) => seen.sign[call] === GOOD);
	const before = failed.every(seen.isAttempt)
		? letInBefore(step)
		: alike.filter((call) => seen.from[call] === caller && seen.over[call] <= time.from);
	// A status alone may be said to anybody's users: here it is said to whatever this one asks, and to nobody else.
	const isOfAsker = alike.length >= GOOD_LEAST && such.every((call) => (seen.from[call] === caller) === (seen.sign[call] === sign));
	// Or all of its calls were let in until a moment, and none since; what it only hands on has the credentials of others.
	const isHandedOn = seen.servedBy(caller).some((call) => kinds.has(seen.kind[call]));
	const since = such.filter((call) => seen.from[call] === caller && seen.began[call] >= time.from);
	const isShut = !isHandedOn && before.length >= GOOD_LEAST && since.length > 0 && since.every((call) => seen.sign[call] === sign);
	if (reported === byStatus && !isOfAsker && !isShut) return null;
	const others = [...new Set(alike.map((call) => seen.from[call]))].filter((name) => name !== caller).sort();
	const wasGood = before.length >= GOOD_LEAST;
	const [asker = caller] = reported === byStatus ? [] : clientsThrough(step);
	return {
		mechanism: reported.cause,
		isCoded: reported !== byStatus,
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
 * Of who is refused as it logs in: its calls on connections that were let in before, if none has been since; another that still is has another
 * password.
 */
function letInBefore({ seen, service, caller, time }: Of<'caller' | 'seen' | 'service' | 'time'>): number[] {
	const letIn = seen.lines(caller, service).filter(({ calls }) => calls.some((call) => seen.sign[call] === GOOD && !seen.isAttempt(call)));
	return letIn.some(({ connection }) => connection.opened_at >= time.from) ? [] : letIn.flatMap(({ calls }) => calls);
}

/** Statuses by which who asks is not let in. https://www.rfc-editor.org/rfc/rfc9110#section-15.5 */
const NOT_LET_IN = new Set(['401', '403', '407']);

function refusedByStatus({ seen, failed, sign }: Of<'failed' | 'seen' | 'sign'>) {
	const calls = failed.filter((call) => seen.sign[call] === sign).length;
	return NOT_LET_IN.has(sign) && calls * 2 > failed.length ? { cause: 'login-refused' as const, code: sign, calls } : null;
}

/**
 * What a session had prepared is of that connection alone. Who asks for it on another one has taken up a new one; who hands on what others ask, on
 * any connection that is free, has parted their sessions.
 */
function statementElsewhere(step: Of<'caller' | 'codeCause' | 'failed' | 'seen' | 'service' | 'sign'>): Why | null {
	const { seen, service, caller } = step;
	const reported = causeByCode(step);
	if (reported?.cause !== 'statement-elsewhere' || caller === GENERATOR_NAME) return null;
	const clients = clientsThrough(step);
	const [inside, outside] = [seen.linesTo(caller), seen.lines(caller, service)];
	const text = `${service} answered ${reported.code} ${counted(reported.calls)} times: what was asked for had been prepared on another connection, or on this one already.`;
	if (clients.length === 0)
		return {
			mechanism: 'statement-elsewhere',
			isCoded: true,
			basis: 'counted',
			place: { service: caller, edge: { from: caller, to: service } },
			evidence: [text],
		};
	return {
		mechanism: 'statement-elsewhere',
		isCoded: true,
		title: `handed statements of ${clients.join(' and ')} on to connections to ${service} on which they had not been prepared`,
		basis: 'counted',
		place: { service: caller, edge: { from: caller, to: service } },
		evidence: [
			text,
			`${clients.join(' and ')} had ${things(inside.length, 'connection')} to ${caller}, and ${caller} ${things(outside.length, 'connection')} to ${service}.`,
		],
	};
}

/**
 * Who asks a caller in the protocol in which that asks the service: it hands on what they ask.
 * @returns those with most connections first
 */
function clientsThrough({ seen, caller, service }: Of<'caller' | 'seen' | 'service'>): string[] {
	const protocols = new Set(seen.lines(caller, service).map(({ connection }) => connection.protocol));
	const lines = seen.linesTo(caller).filter(({ connection: { protocol } }) => protocol !== null && protocols.has(protocol));
	return mostFirst(lines, ({ from }) => from)
		.map(([from]) => from)
		.filter((from) => from !== GENERATOR_NAME);
}

/** Who holds a lock is asked elsewhere (why-lock.ts). */
export function reportedByCode(step: Of<'codeCause' | 'caller' | 'failed' | 'moments' | 'seen' | 'service' | 'sign' | 'time'>): Why | null {
	const elsewhere = statementElsewhere(step);
	if (elsewhere !== null) return elsewhere;
	const reported = causeByCode(step);
	if (reported === null || reported.cause === 'lock') return null;
	const answeredText = (calls: number[]) =>
		`${step.service} answered ${reported.code} ${counted(calls.filter((call) => step.seen.sign[call] === step.sign).length)} times.`;
	const said = answeredText(step.failed);
	return {
		mechanism: reported.cause,
		isCoded: true,
		title: reported.cause === 'turned-away' ? turnedAwayTitle(step, step.sign) : mechanisms[reported.cause].predicate,
		basis: 'counted',
		ofAll: { said, of: answeredText },
		evidence: [
			said,
			...(reported.cause === 'turned-away' ? keptText(step) : []),
			...(MET.has(reported.cause) ? metText(step) : []),
			...(FILLED.has(reported.cause) ? senderText(step) : []),
		],
	};
}

/** What is used up by what it is sent. */
const FILLED: Set<Mechanism> = new Set(['disk-full', 'memory-short']);
/** Of the bytes: of two, one sent half of them anyway. */
const SENDER_SHARE = 0.75;

/** Less fills nothing. */
const SENT_LEAST_BYTES = 1024 * 1024;

/**
 * Who sent it most of what it was sent, where several did.
 * @returns none or a sentence
 */
function senderText({ seen, service, time }: Of<'seen' | 'service' | 'time'>): string[] {
	const { began, from, kind, calls } = seen;
	const bytesOf = (all: number[]) => all.reduce((sum, call) => sum + calls[call].sent_bytes, 0);
	const mostOf = (all: number[], names: string[]) => {
		const groups = [...grouped(all, (call) => names[call])].map(([name, own]) => ({ name, own, bytes: bytesOf(own) }));
		return { ...groups.toSorted((one, other) => other.bytes - one.bytes)[0], names: groups.length };
	};
	const sent = seen.servedBy(service).filter((call) => began[call] <= time.to);
	const total = bytesOf(sent);
	const most = mostOf(sent, from);
	if (total < SENT_LEAST_BYTES || most.names < 2 || most.bytes < SENDER_SHARE * total) return [];
	return [
		`Of the ${mebibytes(total)} that ${service} was sent in calls until then ${most.name} sent ${percent(most.bytes / total)}, most of it in ${asked(mostOf(most.own, kind).name)}.`,
	];
}

/** Ends of transactions that met others. */
const MET: Set<Mechanism> = new Set(['deadlock', 'conflict']);
/** Statements of a transaction that are looked at, before one. */
const EARLIER_MOST = 64;
const WAYS_SHOWN = 3;

/**
 * What they had sent before in their transactions, and at what they were broken off; and whether two statements come in either order there: two
 * transactions that each hold what the other asks for next wait for each other.
 */
function metText({ seen, service, failed, sign }: Of<'failed' | 'seen' | 'service' | 'sign'>): string[] {
	const broken = failed.filter((call) => seen.sign[call] === sign);
	const ways = [...grouped(broken, (call) => JSON.stringify(statementsUntil(seen, call)))].map(([key, calls]) => ({
		statements: JSON.parse(key) as string[],
		count: calls.length,
	}));
	const [last] = ways.toSorted((one, other) => other.count - one.count);
	const orders = last === undefined ? [] : ordersOf(seen, service, ways);
	return [
		...ways
			.toSorted((one, other) => other.count - one.count)
			.slice(0, WAYS_SHOWN)
			.map(({ statements, count }) => {
				const before = statements.slice(0, -1);
				return `${counted(count)} of these were broken off at ${statements.at(-1)}, ${before.length === 0 ? 'the first of a transaction' : `after ${before.join(', ')} in the same transaction`}.`;
			}),
		...orders,
	];
}

/** Those of its transaction, as far back as is looked, each once and itself the last. */
function statementsUntil(seen: Step['seen'], call: number): string[] {
	const calls = seen.lineOf(call)?.calls ?? [];
	const at = calls.indexOf(call);
	const earlier = calls.slice(Math.max(0, at - EARLIER_MOST), Math.max(0, at));
	const since = earlier.findLastIndex((one) => seen.isWithin[one] === 0) + 1;
	const before = earlier.slice(since).map((one) => seen.kind[one]);
	return [...new Set(before.filter((kind) => isStatement(kind) && kind !== seen.kind[call])), seen.kind[call]];
}

/** What begins or ends a transaction asks for nothing. */
const isStatement = (kind: string) => kind.includes(' ');

/**
 * At what they are broken off they waited: of pairs in either order that is one, and best both.
 * @returns none or a sentence
 */
function ordersOf(seen: Step['seen'], service: string, ways: { statements: string[] }[]): string[] {
	const kinds = new Set(ways.flatMap(({ statements }) => statements));
	const waited = new Set(ways.map(({ statements }) => statements.at(-1) ?? ''));
	const ranked = ({ first, second }: { first: string; second: string }) => Number(waited.has(first)) + Number(waited.has(second));
	const pairs: Map<string, number> = new Map();
	for (const { calls } of seen.linesTo(service)) {
		let own: string[] = [];
		for (const call of calls) {
			const kind = seen.kind[call];
			if (kinds.has(kind) && !own.includes(kind)) {
				for (const first of own) pairs.set(JSON.stringify([first, kind]), (pairs.get(JSON.stringify([first, kind])) ?? 0) + 1);
				own.push(kind);
			}
			if (seen.isWithin[call] === 0) own = [];
		}
	}
	const [most] = [...pairs]
		.map(([key, count]) => {
			const [first, second] = JSON.parse(key);
			return { first, second, count, back: pairs.get(JSON.stringify([second, first])) ?? 0 };
		})
		.filter((pair) => pair.back >= ORDERS_LEAST && ranked(pair) > 0)
		.toSorted(
			(one, other) =>
				ranked(other) - ranked(one) || Math.min(other.count, other.back) - Math.min(one.count, one.back) || other.count - one.count,
		);
	return most === undefined
		? []
		: [
				`${counted(most.count)} transactions sent ${most.first} before ${most.second}, and ${counted(most.back)} the other way round: two that each hold what the other asks for next wait for each other.`,
			];
}
/** One alone may have been tried by hand. */
const ORDERS_LEAST = 2;
