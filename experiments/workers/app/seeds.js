/**
 * The documents that each user finds when it begins, so that its first read, update or delete has one to aim at. User v of
 * k6 works on database (v mod 3) + 1; experiments/workers/k6/crud-user.js knows the same ids.
 */

export const DATABASES = ['db1', 'db2', 'db3'];
/** As many as the most workers for each database make. */
export const SEEDED_USERS = 600;
export const SEEDS_PER_USER = 20;

/**
 * @param {string} database
 * @returns {string[]} ids of its users' documents
 */
export function seedsOf(database) {
	const users = Array.from({ length: SEEDED_USERS }, (_, index) => index + 1);
	return users
		.filter((user) => DATABASES[user % DATABASES.length] === database)
		.flatMap((user) => Array.from({ length: SEEDS_PER_USER }, (_, index) => `seed-${user}-${index}`));
}
