/** Claims that no publication makes: what the lab asks beyond one. */
const OWN = "; the lab's own question";
/** How the sources of claims that are no longer in the tables say it. */
const SAID = "the lab's own";

/** @param {string} source  the publication that it goes on from */
export const labQuestion = (source) => `${source}${OWN}`;

/** Nobody but the lab asks it. @param {{ own?: boolean, source: string }} claim */
export const isLabQuestion = ({ own = false, source }) => own || source.includes(SAID);
