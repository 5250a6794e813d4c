/**
 * memcached on the wire: a text protocol, and a binary one.
 *
 * @typedef {import('../../wire/contract.js').Chunk} Chunk
 * @typedef {import('../../wire/contract.js').Conversation} Conversation
 */
import { ANSWERS, ASKS, BinaryConversation, beginsBinary, beginsText } from './commands.js';
import { TextConversation } from './text.js';

/** @type {import('../../wire/contract.js').Decoder} */
export const decoder = {
  protocol: 'memcached',
  title: 'memcached',
  recognise(client, server) {
    if (client.length === 0 && server.length === 0) return 'more';
    return client[0] === ASKS ? beginsBinary(client) : beginsText(client, server);
  },
  open: (emit, about) => new MemcachedConversation(emit, about),
};

class MemcachedConversation {
  #emit;
  #about;
  /** Which it is says the first byte. @type {Conversation | null} */
  #inner = null;

  /** @param {import('../../wire/contract.js').Emit} emit @param {import('../../wire/contract.js').About} about */
  constructor(emit, about) {
    this.#emit = emit;
    this.#about = about;
  }

  /** @param {Chunk} chunk */
  client(chunk) {
    this.#of(chunk, ASKS).client(chunk);
  }

  /** @param {Chunk} chunk */
  server(chunk) {
    this.#of(chunk, ANSWERS).server(chunk);
  }

  /** @param {import('../../wire/contract.js').ConnectionEnd} end */
  close(end) {
    this.#inner?.close(end);
  }

  /** @param {Chunk} chunk @param {number} first  byte of the binary one, on this side */
  #of({ bytes }, first) {
    this.#inner ??= bytes[0] === first ? new BinaryConversation(this.#emit) : new TextConversation(this.#emit, this.#about);
    return this.#inner;
  }
}
