/**
 * What each command gives under --json: what `result` is, and what stands beside it.
 *
 * @typedef {{ result: string, beside: string[] }} JsonResult
 */

const PAGE = ['folder', 'report'];

/** @type {Record<string, JsonResult>} */
export const JSON_RESULTS = {
  init: {
    result:
      'what was written, as `project`, and the `doubts` and `dangers` of it; with `--observe` `project`, what was `observed`, and `notes`',
    beside: ['file'],
  },
  run: { result: '`result.json` of the run', beside: [...PAGE, 'thresholds'] },
  swarm: { result: '`result.json` of the run', beside: [...PAGE, 'thresholds'] },
  compare: { result: '`compare.json`', beside: [...PAGE, 'sentence'] },
  experiment: { result: '`experiment.json`; of `all` the `findings.json` so far', beside: [...PAGE, 'sentence'] },
  findings: { result: '`findings.json`', beside: ['report'] },
  plan: { result: '`plan.json`', beside: PAGE },
  report: { result: 'as of the command that measured it', beside: PAGE },
  replay: {
    result: 'how many `records` were analysed, those that `moved` with what differs, and the `unread` and `failed` ones with the reason',
    beside: [],
  },
  freeze: { result: 'what was `frozen`, with its `bytes` and what of it was `kept`', beside: [] },
  typical: { result: 'the `folder` of the runs', beside: [] },
  open: { result: '`url`, and whether it was `shown`', beside: PAGE },
  examples: { result: 'the `pages` that were rendered', beside: [] },
  excerpt: { result: 'the `runs` that were kept', beside: ['folder'] },
  list: { result: '`project`, `architectures`, `experiments`, `loads`, `budgets` and `runs`', beside: [] },
  docs: { result: 'the `files` that were written', beside: [] },
  images: { result: '`mode`, and the image of each of the `variables`', beside: [] },
  calibrate: { result: 'the latest `readings`, and what budgets make of them, as `uses`', beside: ['file'] },
  'bench-overhead': { result: 'the pairs that were measured, and their `ratios` and `p95_ratios`', beside: ['file'] },
  selftest: { result: 'the `record` with each score, and their `total`', beside: ['report'] },
  doctor: { result: 'whether it is `ready`, and the `checks`', beside: [] },
  export: { result: 'the `run`, the `files` with their formats, and how many `series` and `values` they hold', beside: [] },
  stack: { result: 'the `stack`, and what of the Compose file is `ignored`', beside: [] },
  kubernetes: { result: 'the `manifests`, and what of the Compose file is `ignored`', beside: [] },
  completion: { result: '`shell` and its `script`', beside: [] },
  clean: { result: 'what is `left`: nothing', beside: [] },
};
