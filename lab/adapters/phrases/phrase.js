/**
 * What a row of the table of phrases says: that a line of a log with these words tells of this cause.
 *
 * @typedef {object} Phrase
 * @property {string} product   or runtime, as readers know it
 * @property {string} word      of the phrase, in small letters: a line without it is not compared
 * @property {RegExp} pattern   of the line when its figures are `#` and its blanks single (lab/diagnose/waiting/logs.js)
 * @property {import('../../diagnose/waiting/text.js').Mechanism} cause  of the service that says it
 * @property {string} line      as the product writes it, for the tests
 * @property {boolean} [lasts]  what it tells of holds from then on, and is said once: its pattern is of words alone, without figures
 * @property {RegExp} [ends]    of the line, with the same word, that says that it is over; where it has none, no line says so
 * @property {string} source    where the words stand: repository and file
 */
export {};
