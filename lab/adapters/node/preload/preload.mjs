/**
 * Loaded into each process of a Node service that is watched at level 3, before its program (NODE_OPTIONS=--import). It looks on through
 * Node's own diagnostics channels and changes nothing: it wraps no function, listens to no error, sets no header, keeps no process
 * alive, and what goes wrong in it is said in its record and nowhere else.
 *
 * It has to load in whatever Node the service runs, from 18.18 on, so it uses nothing newer without looking whether it is there.
 */
import { attempt } from './attempt.mjs';
import { watchRequests } from './requests.mjs';

attempt(watchRequests);
