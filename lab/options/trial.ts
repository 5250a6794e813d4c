/** What of a run is otherwise than its options say, to test an accusation or a level. No option gives it. */

export type Trial = {
	/** seconds after which the load is cut; not unless given */
	cut_s?: number;
	/** the run that it is compared with began without a good answer of what was asked in the place of its load */
	isUnanswered?: boolean;
	/** that are held from the first second on, in place of who else would come; as the load has it unless given */
	users?: number;
	/** services that are slowed in turns */
	slowing?: Slowing;
	/** a change that is switched on and off in turns */
	switching?: Switching;
	/** of a search for a limit: so many users, or where the settings have a rate requests a second, are the load */
	level?: number;
};

export type Turn = {
	/** what is slowed; empty: nothing, for comparison */
	group: string;
	/** of it, as Compose names them */
	services: string[];
	/** from the start of the load */
	from_s: number;
	to_s: number;
};

/** what is asked */
export type Slowing = {
	/** of a turn, by which its services are slowed */
	share: number;
	/** in which they stand still once */
	period_s: number;
	/** one after the other */
	turns: Turn[];
	/** containers that their quota holds back, by name */
	throttled: string[];
};

/** what can be changed in a container that runs, there and back */
export type LiveChange = { service: string } & (
	| { kind: 'quota'; cores: number }
	| { kind: 'pause' }
	/** a file of settings that is mounted, and the signal on which its server reads it again and starts new processes */
	| { kind: 'file'; path: string; on: string; off: string; signal: string }
	/** a program of the product's, that is told so line by line; ask: what makes it say the value that it has now */
	| { kind: 'session'; command: string[]; env: string[]; set: { on: string; off: string }; ask: string; value: { on: string; off: string } }
);

/** seconds from the start of the load */
export type SwitchTurn = { is_on: boolean; from_s: number; to_s: number };

/** what is asked: one turn after the other; before the first and after the last the change is off */
type Switching = { change: LiveChange; turns: SwitchTurn[] };
