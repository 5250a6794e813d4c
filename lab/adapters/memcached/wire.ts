/** memcached on the wire: a text protocol, and a binary one. */

import type { About, Chunk, ConnectionEnd, Conversation, Decoder, Emit } from '../../wire/contract.ts';
import { ANSWERS, ASKS, BinaryConversation, beginsBinary, beginsText } from './commands.ts';
import { TextConversation } from './text.ts';

export const decoder: Decoder = {
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
	/** Which it is says the first byte. */
	#inner: Conversation | null = null;

	constructor(emit: Emit, about: About) {
		this.#emit = emit;
		this.#about = about;
	}

	client(chunk: Chunk) {
		this.#of(chunk, ASKS).client(chunk);
	}

	server(chunk: Chunk) {
		this.#of(chunk, ANSWERS).server(chunk);
	}

	close(end: ConnectionEnd) {
		this.#inner?.close(end);
	}

	/** @param first byte of the binary one, on this side */
	#of({ bytes }: Chunk, first: number) {
		this.#inner ??= bytes[0] === first ? new BinaryConversation(this.#emit) : new TextConversation(this.#emit, this.#about);
		return this.#inner;
	}
}
