/**
 * Asks services for their own state once a second, where their adapter knows how. What does not answer in time leaves no line: a
 * missing sample says so itself.
 */

const EVERY_MS = 1000;
/** An answer that comes later would be the next second's. */
const ANSWER_LIMIT_MS = 900;

type Asked = {
	/** null: it cannot be asked */
	ask: () => Promise<object | null>;
	record: { write: (line: object) => void };
};

/**
 * @param asked each has at most one question under way
 * @returns stops asking; what is answered later is not written
 */
export function observeSamples(asked: Asked[]): () => void {
	const underWay: Set<Asked> = new Set();
	let isWatching = true;
	const timer = setInterval(() => {
		for (const one of asked) {
			if (underWay.has(one)) continue;
			underWay.add(one);
			sample(one).finally(() => underWay.delete(one));
		}
	}, EVERY_MS);
	return () => {
		isWatching = false;
		clearInterval(timer);
	};

	/** Ends when the service has answered, or will not any more. */
	async function sample({ ask, record }: Asked) {
		const askedAt = Date.now();
		const answer = await ask().catch(() => null);
		const now = Date.now();
		if (isWatching && answer !== null && now - askedAt <= ANSWER_LIMIT_MS) record.write({ t: now / 1000, ...answer });
	}
}
