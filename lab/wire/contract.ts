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
 *
 * @typedef {'client' | 'server'} Side  client: who opened the connection
 *
 * @typedef {object} Chunk
 * @property {number} at      seconds since 1970 at which the packet passed
 * @property {Buffer} bytes   as far as they were recorded; may be empty. A view of a buffer that is used again: copy what is kept
 * @property {number} hole    bytes that follow and were not recorded
 * @property {boolean} turn   the first of its side since the other side sent anything: most often a message begins here
 * @property {boolean} [crossed]  its side had not received yet all that the other had sent before
 *
 * @typedef {'yes' | 'no' | 'more'} Verdict  more: the bytes so far do not tell
 *
 * @typedef {object} Decoder
 * @property {string} protocol  as the record names it, in lower case: `http`
 * @property {string} title     "HTTP/1.1"
 * @property {'udp'} [transport]  it reads datagrams, each of which is a chunk; connections (TCP) unless given
 * @property {(client: Buffer, server: Buffer, midway: boolean) => Verdict} recognise  by the first bytes that each side sent, at most
 *   RECOGNISE_BYTES of each and up to their first hole; midway: the connection was there before the capture, so that they are from anywhere
 *   in it. A yes must be safe: what two decoders may take is no protocol's. The port is not told. TLS from the first byte on is known before
 *   any decoder is asked
 * @property {(emit: Emit, about: About) => Conversation} open
 *
 * @typedef {object} About
 * @property {boolean} midway    the connection was there before the capture
 * @property {number} opened_at  of its first packet
 *
 * @typedef {object} Conversation  of one connection
 * @property {(chunk: Chunk) => void} client  from the client. What was buffered for recognition comes first, as it came
 * @property {(chunk: Chunk) => void} server
 * @property {(side: Side, at: number) => void} [finish]  a side will send no more (FIN); the other may still answer
 * @property {(end: ConnectionEnd) => void} close  once, at the end: every call that is open has to be told (`brokenOff` in calls.ts)
 *
 * @typedef {object} ConnectionEnd
 * @property {number} at         of the first FIN or RST; of the last packet where the capture ended before the connection
 * @property {Side | null} by    who sent it; null where nobody did
 * @property {'closed' | 'reset' | 'open'} how  open: the capture ended first
 *
 * @typedef {object} Emit
 * @property {(call: Call) => void} call   when it has ended, in any order
 * @property {(side: Side, bytes: number, at: number) => void} unknown  bytes that could not be understood, with those in holes
 * @property {(protocol: string, rest?: { side: Side, chunk: Chunk }[]) => void} becomes  the connection goes on in another protocol: the
 *   name of a decoder, or `tls`, `websocket`, any name. Nothing more is given to this conversation but `close`; where there is a decoder
 *   of that name it gets `rest` and all that follows, else what follows is counted as hidden
 *
 * @typedef {'call' | 'connect' | 'wait' | 'beat' | 'push' | 'send'} Role  what a call is for. `call`: a question. `connect`: sets the connection up
 *   (login, greeting, a refusal before anything was asked). `wait`: waits on purpose (a blocking read, a subscription). `beat`: a heartbeat or
 *   the driver's look at the server. `push`: the server spoke without being asked; it has no question. `send`: gets no answer, by its protocol;
 *   it is over, as answered, when it was sent
 *
 * @typedef {'answered' | 'given-up' | 'closed' | 'reset' | 'cut' | 'open'} End  how a call ended. `answered`: whole. `given-up`: the client closed or
 *   reset the connection before a byte of the answer. `closed`, `reset`: the server did. `cut`: either did inside the answer. `open`: the capture
 *   ended first
 *
 * @typedef {object} Call          one question and its answer
 * @property {number} began_at     first byte of the question; of a push, of the message
 * @property {number | null} sent_at  last byte of the question; null where it was not seen
 * @property {number | null} first_at  first byte of the answer; null: there was none
 * @property {number | null} ended_at  last byte of the answer; of a call without a whole answer, the moment at which it was over; null where
 *   that was not seen
 * @property {Role} [role]         `call` unless given
 * @property {string} [id]         `x-request-id`, at most ID_LENGTH characters; of what a broker passes on, a mark that the question and the push to
 *   whoever is given it have in common
 * @property {string} [trace]      trace id of a `traceparent`, 32 hexadecimal digits
 * @property {string} verb         "GET", "SELECT", "find": from a list that the decoder knows; empty where it is not known
 * @property {string} template     path or fingerprint of a statement, without anything of the user's; may be empty
 * @property {number | null} status  a number that the protocol has for every answer: 200
 * @property {string | null} code  of an error, as the protocol has it: "53300", "1040", "OOM"; null of a good answer
 * @property {boolean} bad         the answer says that it went wrong at whoever answers: 5xx, an error of a database. What its asker did wrong
 *   (404, a key that is there already) has its status or code, and is not bad
 * @property {End} end
 * @property {Side | null} by      who ended it: `server` where it was answered, null where it is open
 * @property {ConnectionState} [state]  in which the answer left the connection, where the protocol tells
 * @property {number} sent_bytes   of the question as it was on the wire, recorded or not
 * @property {number} answered_bytes
 * @property {boolean} [hole]      what was not recorded may change what is said here: an id may be missing, an end be earlier than its time
 * @property {number} [late_at]    the server's answer came after the client had given up. Set by the connection, not by decoders: they tell
 *   an answer as they see it
 * @property {boolean} [raced]     the server had closed the connection before the question's first byte
 * @property {string[]} [addresses]  that the answer gave for the name that was asked for, of DNS; the first ADDRESSES_MOST
 *
 * @typedef {'idle' | 'transaction' | 'failed-transaction'} ConnectionState
 */

/** Of each side, for recognition. No protocol here needs more: its first message begins with them. */
export const RECOGNISE_BYTES = 512;

/** Of HTTP: from here on the client is at fault, or the server (RFC 9110, 15.5 and 15.6), and from there on the server. */
export const FIRST_BAD_STATUS = 400;
export const FIRST_SERVER_ERROR = 500;

/** Of one name; a pool of servers behind it has no more in one answer. */
export const ADDRESSES_MOST = 8;

/** Ids are at most as long as a UUID with a prefix; what is longer may carry content. */
export const ID_LENGTH = 64;
