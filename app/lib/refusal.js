/**
 * What a node throws when it refuses a request that it could begin: it is answered HTTP 503 with Retry-After.
 */
export class Refusal extends Error {
	/**
	 * @param {string} name  by which the answer, the node's counts and its log have it
	 * @param {number} retryAfterS  whole seconds after which to come again
	 * @param {string} [opener]  id of the request whose failure made the node refuse others
	 */
	constructor(name, retryAfterS, opener) {
		super(`refused: ${name}`);
		this.name = name;
		this.retryAfterS = retryAfterS;
		this.opener = opener;
	}
}
