/**
 * MySQL's protocol on the wire, of MySQL and MariaDB. The server speaks first: a greeting, or an error in its place ("too many
 * connections"), which is the answer to whoever connects. Then a client sends a command and waits for its answer.
 *
 * Where an answer is longer than what was recorded of a packet its end is in a hole. It is then taken to end with the last byte before the
 * client spoke again.
 */
import { answerBegins, answered, brokenOff, Exchange, endUnseen, newCall, seenAt } from '../../wire/calls.ts';
import type { About, Call, ConnectionEnd, ConnectionState, Decoder, Emit } from '../../wire/contract.ts';
import { Queue } from '../../wire/queue.ts';
import type { Frame } from '../../wire/stream-reader.ts';
import { FrameReader } from '../../wire/stream-reader.ts';
import { statementTemplate } from '../../wire/templates.ts';
import { Answer } from './answer.ts';
import {
	beginsServer,
	CAN,
	COMMANDS,
	ERROR,
	HEAD,
	isCommandAndAnswer,
	isServersFault,
	OK,
	readErrorNumber,
	readGreeting,
	statementIn,
} from './packets.ts';

type Statement = { verb: string; template: string };

/** What is read of a question: a statement's tables. */
const QUESTION_BYTES = 2048;
/** What is read of a packet of an answer: numbers, and of a greeting what the server can, which stands behind its version. */
const ANSWER_BYTES = 160;
/** Prepared statements of a connection whose template is kept; drivers keep some hundred. */
const STATEMENTS_MOST = 512;
/** In place of a number that the client does not know yet: https://mariadb.com/docs/server/reference/clientserver-protocol/3-binary-protocol-prepared-statements/com_stmt_execute */
const LAST_PREPARED = 0xffffffff;
/** MariaDB's connectors send further commands before the first is answered. */
const UNDER_WAY_MOST = 1024;

export const decoder: Decoder = {
	protocol: 'mysql',
	title: 'MySQL',
	recognise(client, server, midway) {
		// Its greeting has passed.
		if (midway && (client.length === 0 || server.length === 0)) return 'more';
		if (midway) return isCommandAndAnswer(client, server) ? 'yes' : 'no';
		// Its server speaks first, and its client's first packet has the number after the greeting's.
		if (client.length > 0 && (server.length === 0 || (client.length >= HEAD && client[3] !== 1))) return 'no';
		return beginsServer(server);
	},
	open: (emit, about) => new MysqlConversation(emit, about),
};

class MysqlConversation extends Exchange<FrameReader> {
	#openedAt;
	/** Whether the client has logged in, so that it may send commands. */
	#isReady;
	#serverCan = 0;
	#can = 0;
	#underWay: Queue<{ call: Call; answer: Answer; statement?: Statement }> = new Queue();
	/** By the number that the server gave it. */
	#statements: Map<number, Statement> = new Map();
	#hasLocked = false;
	#lastPrepared: Statement | undefined;
	#isOver = false;

	constructor(emit: Emit, { midway, opened_at: openedAt }: About) {
		super(
			emit,
			() => this.#takeAll(),
			new FrameReader({
				head: headOf,
				lengthOf,
				want: QUESTION_BYTES,
				onFrame: (frame) => this.#onQuestion(frame),
				onLost: (bytes, at) => emit.unknown('client', bytes, at),
			}),
			new FrameReader({
				head: headOf,
				lengthOf,
				want: ANSWER_BYTES,
				onFrame: (frame) => this.#onAnswer(frame),
				onLost: (bytes, at) => this.lost.note(this.#isReady ? this.#underWay.first?.call : undefined, bytes, at),
			}),
		);
		this.#isReady = midway;
		this.#openedAt = openedAt;
	}

	close(end: ConnectionEnd) {
		// How a login went that goes on where nothing can be read is not known.
		if (this.#isOver) for (const call of this.#takeAll()) this.emit.call(endUnseen(call));
		if (this.#isOver) return;
		this.lost.end();
		const begun = this.questions.partial;
		const open = this.#takeAll();
		if (begun && this.#isReady) open.push(newCall(begun.began_at));
		const answer = this.answers.partial;
		if (answer && open[0]) answerBegins(open[0], answer.began_at);
		for (const call of open) this.emit.call(brokenOff(call, end));
	}

	#onQuestion(frame: Frame) {
		if (!this.#isReady) {
			this.#onLogin(frame);
			return;
		}
		// Further packets of a question, or a file that the server asked for.
		if (frame.bytes[3] !== 0 || frame.length <= HEAD) {
			const { last } = this.#underWay;
			if (last) last.call.sent_bytes += frame.length;
			return;
		}
		const command = COMMANDS[frame.bytes[HEAD]];
		if (!command) {
			this.emit.unknown('client', frame.length, frame.began_at);
			return;
		}
		if (command.isSilent) return;
		if (this.#underWay.size >= UNDER_WAY_MOST) {
			this.emit.unknown('client', frame.length, frame.began_at);
			return;
		}
		const call = Object.assign(newCall(frame.began_at), { sent_at: seenAt(frame.ended_at), sent_bytes: frame.length, verb: command.verb });
		if (command.role) call.role = command.role;
		const statement = command.isStatement ? statementTemplate(statementIn(frame.bytes), '`') : undefined;
		if (command.isPrepare) this.#lastPrepared = statement;
		if (command.isPrepare) Object.assign(call, { verb: 'PREPARE', template: `PREPARE ${statement?.template}`.trim() });
		else Object.assign(call, command.isRun ? this.#statementOf(frame.bytes) : statement);
		this.#underWay.push({ call, answer: this.#answerTo(command), statement });
	}

	#answerTo({ verb, isPrepare = false, role }: (typeof COMMANDS)[number]) {
		return new Answer({
			isPrepare,
			isText: verb === 'STATISTICS',
			isLogin: role === 'connect',
			hasEof: (this.#can & CAN.deprecateEof) === 0,
		});
	}

	/** @param bytes of an execution */
	#statementOf(bytes: Buffer) {
		if (bytes.length < HEAD + 5) return undefined;
		const id = bytes.readUInt32LE(HEAD + 1);
		return id === LAST_PREPARED ? this.#lastPrepared : this.#statements.get(id);
	}

	/** The client says what it can, and who it is. */
	#onLogin(frame: Frame) {
		const { first } = this.#underWay;
		if (first) first.call.sent_bytes += frame.length;
		if (frame.bytes[3] !== 1 || frame.bytes.length < HEAD + 4) return;
		this.#can = frame.bytes.readUInt32LE(HEAD) & this.#serverCan;
		if (first) Object.assign(first, { answer: this.#answerTo({ verb: '', role: 'connect' }) });
		// It asks for TLS by a login that ends before the user's name.
		if (frame.bytes.readUInt32LE(HEAD) & CAN.tls && frame.length === HEAD + 32) this.#hide('tls');
	}

	#hide(protocol: string) {
		this.#isOver = true;
		const sides = [
			['client', this.questions.takeRest()],
			['server', this.answers.takeRest()],
		] as const;
		this.emit.becomes(
			protocol,
			sides.flatMap(([side, chunks]) => chunks.map((chunk) => ({ side, chunk }))),
		);
	}

	#onAnswer(frame: Frame) {
		// To a question that has not come as a whole: it is longer than the server takes.
		if (this.#isReady && this.#underWay.size === 0) this.questions.giveOpen();
		const { first: open } = this.#underWay;
		if (!open) {
			this.#onUnasked(frame);
			return;
		}
		const { call, answer, statement } = open;
		answerBegins(call, frame.began_at);
		call.answered_bytes += frame.length;
		const body = frame.bytes.subarray(HEAD);
		if (body[0] === ERROR && frame.length > HEAD + 2) {
			this.#fails(call, body);
			this.#answered(frame.ended_at);
			return;
		}
		if (statement && answer.isPrepare && body[0] === OK && body.length >= 5) this.#prepared(body.readUInt32LE(1), statement);
		if (!answer.takes(body, frame.length - HEAD)) return;
		if (answer.state) call.state = this.#stateAfter(call.verb, answer.state);
		this.#answered(frame.ended_at);
	}

	/**
	 * Tables that are locked outside of a transaction are kept from others as by one, until they are unlocked or a transaction begins:
	 * https://mariadb.com/docs/server/reference/sql-statements/transactions/lock-tables
	 * @param state as the server has it
	 */
	#stateAfter(verb: string, state: ConnectionState) {
		if (verb === 'LOCK') this.#hasLocked = true;
		if (verb === 'UNLOCK' || state !== 'idle') this.#hasLocked = false;
		return this.#hasLocked ? 'transaction' : state;
	}

	/** The server spoke first, or to nobody: a greeting, an error in its place, or that it ends the session. */
	#onUnasked(frame: Frame) {
		const body = frame.bytes.subarray(HEAD);
		const isFirst = !this.#isReady;
		if (!isFirst && body[0] !== ERROR) {
			this.emit.unknown('server', frame.length, frame.ended_at);
			return;
		}
		const call = newCall(isFirst ? this.#openedAt : frame.began_at);
		Object.assign(call, { role: isFirst ? 'connect' : 'push', first_at: frame.began_at, answered_bytes: frame.length });
		if (isFirst) call.verb = 'CONNECT';
		const answer = this.#answerTo({ verb: '', role: 'connect' });
		if (body[0] === ERROR) {
			this.#underWay.push({ call, answer });
			this.#fails(call, body);
			this.#answered(frame.ended_at);
			return;
		}
		this.#serverCan = readGreeting(body) ?? 0;
		this.#underWay.push({ call, answer });
	}

	#fails(call: Call, body: Buffer) {
		const number = readErrorNumber(body);
		// What was to set the session up did not.
		Object.assign(call, { code: String(number), bad: call.role === 'connect' || isServersFault(number) });
	}

	#prepared(id: number, statement: Statement) {
		this.#statements.set(id, statement);
		if (this.#statements.size > STATEMENTS_MOST) this.#statements.delete(this.#statements.keys().next().value as number);
	}

	#answered(at: number) {
		const { call } = this.#underWay.shift() as { call: Call };
		const isLogin = !this.#isReady;
		this.#isReady = true;
		this.emit.call(answered(call, at));
		if (isLogin && call.code === null && this.#can & (CAN.compress | CAN.zstd)) this.#hide('mysql-compressed');
	}

	#takeAll() {
		return this.#underWay.takeAll().map(({ call }) => call);
	}
}

const headOf = () => HEAD;
const lengthOf = (head: Buffer) => head.readUIntLE(0, 3) + HEAD;
