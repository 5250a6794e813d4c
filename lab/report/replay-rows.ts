/** What a replay says of a record: where failed requests are placed, and what of it has moved. */

/** Requests that are placed elsewhere than they were, of one kind. */
export type RequestMove = { count: number; from: string; to: string; text: string };

/** Where a result places failed requests, in short. */
export type PlacedRow = {
	/** the rows of the ledger, or what following the waiting found */
	from: 'ledger' | 'waiting';
	/** service, and of a finding the edge on which it shows */
	place: string;
	/** cause or mechanism; empty where it is not on record */
	why: string;
	count: number;
	/** of where and of why */
	basis: string;
};

export type Move = Pick<PlacedRow, 'from' | 'place' | 'why'> & { before: PlacedRow | null; now: PlacedRow | null };

export type Replayed = {
	record: string;
	/** unread: an earlier version wrote it, or it is not whole; failed: the analysis did */
	outcome: 'same' | 'moved' | 'unread' | 'failed';
	/** of one that is unread or failed */
	reason?: string;
	/** of one that moved */
	moves?: Move[];
	/** of a frozen one that moved */
	requests?: RequestMove[];
	/** of one that moved, all that differ */
	fields?: string[];
	/** of one that moved, where it has another */
	headline?: { before: string; now: string };
};
