/** Merges the results of several measuring processes. */

import type { Answer, Failure, Result, Series } from './job.js'
import { mergeCallTimes } from './open-loop.js'
import type { CallTimes } from './schedule.js'
import { joined, summed } from './series.js'

/** Operations per second: of the workers if known, otherwise of the window. */
export function rateOf(one: Pick<Result, 'rate' | 'operations' | 'elapsed'>): number {
  return one.rate ?? one.operations / one.elapsed
}

/** The sum of what was done, over the average time; a failure if one failed. */
export function mergeAnswers(answers: readonly Answer[]): Answer {
  const failed = answers.find((one): one is Failure => 'failed' in one)
  const [first] = answers
  if (failed !== undefined || answers.length === 1) return failed ?? (first as Answer)
  const all = answers.filter((one): one is Result => 'operations' in one)
  if (all.length !== answers.length) return { failed: 'only calls are measured in many processes' }
  const sum = (of: (one: Result) => number) => all.reduce((total, one) => total + of(one), 0)
  const most = (of: (one: Result) => number) => Math.max(...all.map(of))
  const mean = (of: (one: Result) => number | null) =>
    all.some((one) => of(one) === null) ? null : sum((one) => of(one) as number) / all.length
  const operations = sum((one) => one.operations)
  const opened = all.map((one) => one.open).filter((one): one is CallTimes => one !== undefined)
  return {
    ...(first as Result),
    ...(opened.length > 0 && { open: mergeCallTimes(opened) }),
    operations,
    elapsed: sum((one) => one.elapsed) / all.length,
    rate: sum(rateOf),
    errors: sum((one) => one.errors),
    timeouts: sum((one) => one.timeouts),
    first_error: all.find((one) => one.first_error !== null)?.first_error ?? null,
    cpu: { user: sum((one) => one.cpu.user), system: sum((one) => one.cpu.system) },
    server_cpu: mean((one) => one.server_cpu),
    machine_cpu: mean((one) => one.machine_cpu),
    switches: {
      voluntary: sum((one) => one.switches.voluntary),
      involuntary: sum((one) => one.switches.involuntary),
    },
    latency: {
      read: joined(all.map((one) => one.latency.read)),
      write: joined(all.map((one) => one.latency.write)),
      samples: sum((one) => one.latency.samples),
      overwritten: sum((one) => one.latency.overwritten),
      max_ns: most((one) => one.latency.max_ns),
    },
    ...(all.every((one) => one.series !== undefined)
      ? { series: summed(all.map((one) => one.series as Series)) }
      : {}),
    each: all.map((one) => ({
      operations: one.operations,
      rate: rateOf(one),
      cpu: one.cpu,
      memory: one.memory,
      ...(one.open?.pacing_calls && { pacing: one.open.pacing_cpu / one.open.pacing_calls }),
    })),
    loop_delay: {
      p50: most((one) => one.loop_delay.p50),
      p99: most((one) => one.loop_delay.p99),
      max: most((one) => one.loop_delay.max),
    },
    memory: {
      bare: sum((one) => one.memory.bare),
      ready: sum((one) => one.memory.ready),
      peak: sum((one) => one.memory.peak),
    },
  }
}
