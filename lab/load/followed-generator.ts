/** One k6 while it runs: what it writes, when it began, how it ended. */

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { RAW } from '../base/paths.ts';
import { readPrivate } from '../base/private-file.ts';
import type { Service } from '../docker/containers.ts';
import { containerById, readLog } from '../docker/docker.ts';
import { FileTail } from '../docker/tail.ts';
import type { Generated } from '../record/generated.ts';
import { parseStart } from '../record/k6-requests.ts';

const STOP_LIMIT_S = 10;
const LAST_LINES = 15;
/** When the engine cannot say how k6 ended, its container is gone. */
const LOST_EXIT_CODE = -1;

export class FollowedGenerator {
	name: Service['name'];
	id: Service['id'];
	/** Seconds since 1970. */
	beganS: number | null = null;
	ended: { atS: number; exitCode: number } | null = null;
	#folder;
	#tail;
	#container;

	/**
	 * @param service its container runs
	 * @param folder that it writes into
	 */
	constructor({ id, name }: Service, folder: string) {
		this.name = name;
		this.id = id;
		this.#folder = folder;
		this.#tail = new FileTail(join(folder, RAW.k6Log));
		this.#container = containerById(id);
		const end = (exitCode: number) => {
			this.ended = { atS: Date.now() / 1000, exitCode };
		};
		// One request that the engine answers at the end; asking it twice a second would cost the load.
		this.#container.wait().then(
			({ StatusCode }) => end(StatusCode),
			() => end(LOST_EXIT_CODE),
		);
	}

	/** @returns what it wrote since the last call */
	async read(): Promise<string> {
		this.beganS ??= parseStart(this.#log(), Date.now() / 1000);
		return this.#tail.read();
	}

	/** With its summary written it has nothing more to do. */
	async isDone() {
		if (this.ended !== null) return true;
		return lstat(join(this.#folder, RAW.k6Summary)).then(
			() => true,
			() => false,
		);
	}

	/** k6 writes its summary when it is asked to stop, so what was measured is kept. */
	async stop() {
		await this.#container.stop({ t: STOP_LIMIT_S });
	}

	/** What it said last: to its container where it could not read its settings, else to its own log. */
	async lastWords() {
		const said = await readLog(this.id, LAST_LINES);
		if (said.trim() !== '') return said;
		// The line of the start is filled up with blanks.
		return this.#log().trim().replace(/ {2,}/g, ' ').split('\n').slice(-LAST_LINES).join('\n');
	}

	/** @returns of one that has ended, or was stopped just now */
	reported(): Generated {
		const { atS, exitCode } = this.ended ?? { atS: Date.now() / 1000, exitCode: 0 };
		return { name: this.name, began_s: this.beganS, ended_s: atS, exit_code: exitCode };
	}

	#log() {
		return String(readPrivate(join(this.#folder, RAW.k6Log)) ?? '');
	}
}
