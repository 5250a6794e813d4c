/** A claim whose verdict is another one by the rules of today. */

import type { ClaimVerdict, FindingVerdict } from '../../record/types.js';

/** a claim that comes out otherwise today than its record's page says, under the record's own load and budget */
export type ReadOtherwise = {
	id: string;
	/** null where it is the registered one */
	statement: string | null;
	verdict: FindingVerdict;
	registered: ClaimVerdict;
	sentence: string;
	/** why */
	changed: string | null;
};
