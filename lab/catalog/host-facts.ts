/** What is known of a host of a Swarm. */

import type { ClockOffset } from './clock-offset.ts';

/** What a host of a Swarm is, as the manifest has it. */
export type HostFacts = {
	name: string;
	os: string;
	kernel: string;
	engine: string;
	cores: number;
	memory_bytes: number;
	/** of its kernel: hosts that have the same one are one machine */
	boot_id: string;
	/** against this machine's; null for this one */
	clock: ClockOffset | null;
};
