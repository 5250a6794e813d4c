/**
 * What a decoder of one protocol gets and gives. A decoder is a file `wire.ts` in a folder of lab/adapters, named after the protocol or the
 * product, that exports `decoder`; nothing else has to know it. It is pure, keeps a bounded state for each connection, and never throws,
 * whatever the bytes are: what it does not understand it counts with `emit.unknown`.
 *
 * A connection has two directions. Each comes as chunks: what one packet carried, in the order of the stream, without repetitions, with
 * the number of bytes that are missing after it. Packets are recorded in part alone (two kilobytes of each, and a packet may carry
 * 64 KB), so that holes are the rule. `StreamReader` and `FrameReader` (stream-reader.ts) and `LineReader`
 * (line-reader.ts) read messages over them, and an `Exchange` (calls.ts) has such a reader for each direction.
 *
 * A decoder keeps nothing of what was said but: times, sizes, an id, a verb, a template of what was asked, a status, a code. No body, no
 * value, no key, no literal, no query (`templates.ts` makes templates of paths and statements).
 */
/** client: who opened the connection */
export type Side = 'client' | 'server';

export type Chunk = {
	/** seconds since 1970 at which the packet passed */
	at: number;
	/** as far as they were recorded; may be empty. A view of a buffer that is used again: copy what is kept */
	bytes: Buffer;
	/** bytes that follow and were not recorded */
	hole: number;
	/** the first of its side since the other side sent anything: most often a message begins here */
	turn: boolean;
	/** its side had not received yet all that the other had sent before */
	crossed?: boolean;
};

/** more: the bytes so far do not tell */
export type Verdict = 'yes' | 'no' | 'more';

export type Decoder = {
	/** as the record names it, in lower case: `http` */
	protocol: string;
	/** "HTTP/1.1" */
	title: string;
	/** it reads datagrams, each of which is a chunk; connections (TCP) unless given */
	transport?: 'udp';
	/** by the first bytes that each side sent, at most RECOGNISE_BYTES of each and up to their first hole; midway: the connection was there before the capture, so that they are from anywhere in it. A yes must be safe: what two decoders may take is no protocol's. The port is not told. TLS from the first byte on is known before any decoder is asked */
	recognise: (client: Buffer, server: Buffer, midway: boolean) => Verdict;
	open: (emit: Emit, about: About) => Conversation;
};

export type About = {
	/** the connection was there before the capture */
	midway: boolean;
	/** of its first packet */
	opened_at: number;
};

/** of one connection */
export type Conversation = {
	/** from the client. What was buffered for recognition comes first, as it came */
	client: (chunk: Chunk) => void;
	server: (chunk: Chunk) => void;
	/** a side will send no more (FIN); the other may still answer */
	finish?: (side: Side, at: number) => void;
	/** once, at the end: every call that is open has to be told (`brokenOff` in calls.ts) */
	close: (end: ConnectionEnd) => void;
};

export type ConnectionEnd = {
	/** of the first FIN or RST; of the last packet where the capture ended before the connection */
	at: number;
	/** who sent it; null where nobody did */
	by: Side | null;
	/** open: the capture ended first */
	how: 'closed' | 'reset' | 'open';
};

export type Emit = {
	/** when it has ended, in any order */
	call: (call: Call) => void;
	/** bytes that could not be understood, with those in holes */
	unknown: (side: Side, bytes: number, at: number) => void;
	/** the connection goes on in another protocol: the name of a decoder, or `tls`, `websocket`, any name. Nothing more is given to this conversation but `close`; where there is a decoder of that name it gets `rest` and all that follows, else what follows is counted as hidden */
	becomes: (protocol: string, rest?: { side: Side; chunk: Chunk }[]) => void;
};

/**
 * what a call is for. `call`: a question. `connect`: sets the connection up
 * (login, greeting, a refusal before anything was asked). `wait`: waits on purpose (a blocking read, a subscription). `beat`: a heartbeat or
 * the driver's look at the server. `push`: the server spoke without being asked; it has no question. `send`: gets no answer, by its protocol;
 * it is over, as answered, when it was sent
 */
export type Role = 'call' | 'connect' | 'wait' | 'beat' | 'push' | 'send';

/**
 * how a call ended. `answered`: whole. `given-up`: the client closed or
 * reset the connection before a byte of the answer. `closed`, `reset`: the server did. `cut`: either did inside the answer. `open`: the capture
 * ended first
 */
export type End = 'answered' | 'given-up' | 'closed' | 'reset' | 'cut' | 'open';

/** one question and its answer */
export type Call = {
	/** first byte of the question; of a push, of the message */
	began_at: number;
	/** last byte of the question; null where it was not seen */
	sent_at: number | null;
	/** first byte of the answer; null: there was none */
	first_at: number | null;
	/** last byte of the answer; of a call without a whole answer, the moment at which it was over; null where that was not seen */
	ended_at: number | null;
	/** `call` unless given */
	role?: Role;
	/** `x-request-id`, at most ID_LENGTH characters; of what a broker passes on, a mark that the question and the push to whoever is given it have in common */
	id?: string;
	/** trace id of a `traceparent`, 32 hexadecimal digits */
	trace?: string;
	/** "GET", "SELECT", "find": from a list that the decoder knows; empty where it is not known */
	verb: string;
	/** path or fingerprint of a statement, without anything of the user's; may be empty */
	template: string;
	/** a number that the protocol has for every answer: 200 */
	status: number | null;
	/** of an error, as the protocol has it: "53300", "1040", "OOM"; null of a good answer */
	code: string | null;
	/** the answer says that it went wrong at whoever answers: 5xx, an error of a database. What its asker did wrong (404, a key that is there already) has its status or code, and is not bad */
	bad: boolean;
	end: End;
	/** who ended it: `server` where it was answered, null where it is open */
	by: Side | null;
	/** in which the answer left the connection, where the protocol tells */
	state?: ConnectionState;
	/** of the question as it was on the wire, recorded or not */
	sent_bytes: number;
	answered_bytes: number;
	/** what was not recorded may change what is said here: an id may be missing, an end be earlier than its time */
	hole?: boolean;
	/** the server's answer came after the client had given up. Set by the connection, not by decoders: they tell an answer as they see it */
	late_at?: number;
	/** the server had closed the connection before the question's first byte */
	raced?: boolean;
	/** that the answer gave for the name that was asked for, of DNS; the first ADDRESSES_MOST */
	addresses?: string[];
};

export type ConnectionState = 'idle' | 'transaction' | 'failed-transaction';

/** Of each side, for recognition. No protocol here needs more: its first message begins with them. */
export const RECOGNISE_BYTES = 512;

/** Of HTTP: from here on the client is at fault, or the server (RFC 9110, 15.5 and 15.6), and from there on the server. */
export const FIRST_BAD_STATUS = 400;
export const FIRST_SERVER_ERROR = 500;

/** Of one name; a pool of servers behind it has no more in one answer. */
export const ADDRESSES_MOST = 8;

/** Ids are at most as long as a UUID with a prefix; what is longer may carry content. */
export const ID_LENGTH = 64;
