/**
 * What MongoDB acknowledges before it is on the disk: https://www.mongodb.com/docs/manual/reference/write-concern/ and, of the 100 ms,
 * https://www.mongodb.com/docs/manual/core/journaling/.
 */
export const DURABLE =
  'acknowledge a write when it is in the journal of the majority, with the write concern { w: "majority", j: true }; a server that stands alone acknowledges it before, and writes its journal every 100 ms';
