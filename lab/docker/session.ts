/** A program in a container that is told lines and answers in lines, for as long as it is kept open. */

import type { Duplex } from 'node:stream';
import { containerById } from './docker.ts';
import { LogLines } from './log-stream.ts';

export type Session = {
	tell: (line: string) => void;
	/** @returns whether one of the lines that come then is the answer, within some seconds */
	ask: (line: string, isAnswer: (line: string) => boolean) => Promise<boolean>;
	close: () => Promise<void>;
};

const ANSWER_MS = 2000;

/**
 * @param env NAME=value, of this program alone
 * @throws {Error} when the engine does not begin it
 */
export async function openSession(id: string, command: string[], env: string[]): Promise<Session> {
	const exec = await containerById(id).exec({ Cmd: command, Env: env, AttachStdin: true, AttachStdout: true, AttachStderr: true });
	const stream = (await exec.start({ hijack: true, stdin: true })) as Duplex;
	const reader = new LogLines({ isFramed: true });
	let onLine: (line: string) => void = () => {};
	stream.on('data', (piece: Buffer) => {
		for (const { text } of reader.feed(piece)) onLine(text.trim());
	});
	// A program that has ended answers nothing: whoever asks finds that out.
	stream.on('error', () => {});
	const tell = (line: string) => void stream.write(`${line}\n`);
	return {
		tell,
		ask: (line, isAnswer) =>
			new Promise((resolve) => {
				const end = (found: boolean) => {
					clearTimeout(limit);
					onLine = () => {};
					resolve(found);
				};
				const limit = setTimeout(() => end(false), ANSWER_MS);
				onLine = (text) => {
					if (isAnswer(text)) end(true);
				};
				tell(line);
			}),
		close: async () => {
			stream.end();
			stream.destroy();
		},
	};
}
