/**
 * How many there were at a time, as the mean over each step: what lasts for a part of a step counts for that part. A state at the middle of a
 * step would miss what is shorter than a step, which of a healthy system is nearly all. The sum over the steps is the time that was spent
 * (Little's law), whatever the step.
 */
export class Levels {
  #parts;
  #changes;
  #step;

  /** @param {number} steps how many @param {number} step_s */
  constructor(steps, step_s) {
    this.#parts = new Float64Array(steps + 1);
    this.#changes = new Float64Array(steps + 2);
    this.#step = step_s;
  }

  /** @param {number} from seconds from the first step's begin @param {number} to endless where there is no end */
  add(from, to) {
    const steps = this.#parts.length - 1;
    const begin = Math.max(0, from / this.#step);
    const end = Math.min(steps, to / this.#step);
    if (!(end > begin)) return;
    const first = Math.floor(begin);
    const last = Math.floor(end);
    if (first === last) {
      this.#parts[first] += end - begin;
      return;
    }
    this.#parts[first] += first + 1 - begin;
    this.#parts[last] += end - last;
    this.#changes[first + 1] += 1;
    this.#changes[last] -= 1;
  }

  /** @returns {Float64Array} of each step */
  means() {
    const means = new Float64Array(this.#parts.length - 1);
    let level = 0;
    for (let at = 0; at < means.length; at += 1) {
      level += this.#changes[at];
      means[at] = level + this.#parts[at];
    }
    return means;
  }
}
