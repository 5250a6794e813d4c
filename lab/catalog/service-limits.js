/**
 * What a service of the model may use, under the names that whoever runs it has for that.
 * @param {{ cpu_quota?: number, cpu_period?: number, cpus?: number, mem_limit?: string | number }} service
 * @param {string} cpu  name of the limit of cores
 * @returns {Record<string, string>} with `memory`; what is not limited is not in it
 */
export function limitsOf({ cpu_quota: quota, cpu_period: period, cpus, mem_limit: memory }, cpu) {
  const cores = quota && period ? quota / period : cpus;
  return { ...(cores ? { [cpu]: String(cores) } : {}), ...(memory ? { memory: String(memory) } : {}) };
}
