/** Claims that no publication makes: what the lab asks beyond one. */
const OWN = "; the lab's own question";

/** @param {string} source  the publication that it goes on from */
export const ownQuestion = (source) => `${source}${OWN}`;

/** @param {string} source  of a claim */
export const isOwnQuestion = (source) => source.endsWith(OWN);
