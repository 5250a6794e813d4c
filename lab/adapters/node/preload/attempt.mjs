/**
 * Runs what belongs to the lab inside somebody else's program, where nothing of it may ever be thrown.
 */
import diagnostics from 'node:diagnostics_channel';

/** A channel that nobody refers to may be collected, with those who listen to it, before Node 20. @type {unknown[]} */
const kept = [];

/** What went wrong here first, for the record. */
export const trouble = { text: '' };

/** @param {() => void} work */
export function attempt(work) {
	try {
		work();
	} catch (error) {
		note(error);
	}
}

/** @param {unknown} error */
export function note(error) {
	if (trouble.text === '') trouble.text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/**
 * Listens to one of Node's channels; one that this Node does not have stays silent.
 * @param {string} name
 * @param {(message: any) => void} take
 */
export function listen(name, take) {
	const channel = diagnostics.channel(name);
	channel.subscribe((message) => {
		try {
			take(message);
		} catch (error) {
			note(error);
		}
	});
	kept.push(channel);
}
