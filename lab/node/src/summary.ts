/** Summarises rounds in one line: medians, and percentiles of all samples together. */

import type { Failure, Result } from './job.js'
import { rateOf } from './merge.js'

/** One client in one group: a number of calls in flight in a number of processes. */
export interface Cell {
  client: string
  inFlight: number
  processes: number
}

/** One cell over all its rounds. Times are in microseconds. */
export interface Line extends Cell {
  version: string
  rounds: number
  failures: string[]
  errors: number
  /** How many of the errors were timeouts. */
  timeouts: number
  firstError: string | null
  /** Operations per second. This and the following are set if a round succeeded. */
  rate?: number
  /** The difference between the extremes, in percent of the median. */
  spread?: number
  cpu?: number
  cpuServer?: number | null
  percentiles?: { p50: number; p90: number; p99: number; 'p99.9': number; max: number }
  /** The percentage of samples that took at most this many milliseconds. */
  within?: { [milliseconds: string]: number }
  samples?: number
  loopDelay?: { p50: number; p99: number }
  peakRss?: number
  /** Ratios to the best other client. */
  rateRatio?: number
  cpuRatio?: number
}

/** Latency bounds in the tables, in milliseconds. */
export const WITHIN = [1, 2, 4, 8, 16] as const

/** Summarises a cell's rounds in one line. */
export function summarise(cell: Cell, rounds: readonly (Result | Failure)[]): Line {
  const results = rounds.filter((one): one is Result => !('failed' in one))
  const counted = results.filter((one) => one.operations > 0)
  const line: Line = {
    ...cell,
    version: results[0]?.version ?? '',
    rounds: rounds.length,
    failures: rounds.flatMap((one) => ('failed' in one ? [one.failed] : [])),
    errors: results.reduce((sum, one) => sum + one.errors, 0),
    timeouts: results.reduce((sum, one) => sum + one.timeouts, 0),
    firstError: results.find((one) => one.first_error !== null)?.first_error ?? null,
  }
  if (counted.length === 0) return line
  const each = (of: (one: Result) => number) => median(counted.map(of))
  const rates = counted.map(rateOf)
  const rate = median(rates)
  const samples = sorted(counted)
  return {
    ...line,
    rate,
    spread: (100 * (Math.max(...rates) - Math.min(...rates))) / rate,
    cpu: each((one) => ((one.cpu.user + one.cpu.system) * 1e6) / one.operations),
    cpuServer: counted.some((one) => one.server_cpu === null)
      ? null
      : each((one) => ((one.server_cpu as number) * 1e6) / one.operations),
    percentiles: {
      p50: at(samples, 50),
      p90: at(samples, 90),
      p99: at(samples, 99),
      'p99.9': at(samples, 99.9),
      max: Math.max(...counted.map((one) => one.latency.max_ns)) / 1000,
    },
    within: Object.fromEntries(WITHIN.map((bound) => [bound, share(samples, bound * 1e6)])),
    samples: samples.length,
    loopDelay: {
      p50: each((one) => one.loop_delay.p50) / 1000,
      p99: each((one) => one.loop_delay.p99) / 1000,
    },
    peakRss: Math.max(...counted.map((one) => one.memory.peak)),
  }
}

/** Adds ratios to the best other client; lines with errors are not compared with. */
export function withRatios(lines: readonly Line[], ours: string): Line[] {
  const peers = lines.filter((line) => line.client !== ours && !flawed(line))
  const bestRate = Math.max(...peers.map((line) => line.rate ?? 0))
  const bestCpu = Math.min(...peers.map((line) => line.cpu ?? Number.POSITIVE_INFINITY))
  return lines.map((line) =>
    line.rate === undefined || line.cpu === undefined || peers.length === 0
      ? line
      : { ...line, rateRatio: line.rate / bestRate, cpuRatio: line.cpu / bestCpu },
  )
}

/** Whether there were errors or failed rounds. */
export function flawed(line: Line): boolean {
  return line.errors > 0 || line.failures.length > 0
}

/** All samples of all rounds, sorted, in nanoseconds. */
function sorted(results: readonly Result[]): Float64Array {
  const parts = results.flatMap((one) => [one.latency.read, one.latency.write])
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0))
  let from = 0
  for (const part of parts) {
    all.set(part, from)
    from += part.length
  }
  return all.sort()
}

function at(samples: Float64Array, percentile: number): number {
  const index = Math.ceil((percentile / 100) * samples.length) - 1
  return (samples[Math.max(0, index)] ?? Number.NaN) / 1000
}

function share(samples: Float64Array, bound: number): number {
  let low = 0
  let high = samples.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((samples[middle] as number) <= bound) low = middle + 1
    else high = middle
  }
  return samples.length === 0 ? Number.NaN : (100 * low) / samples.length
}

/** The median; between two middle values, their mean. */
export function median(values: readonly number[]): number {
  const ordered = [...values].sort((a, b) => a - b)
  const middle = ordered.length >> 1
  const upper = ordered[middle] as number
  return ordered.length % 2 === 1 ? upper : ((ordered[middle - 1] as number) + upper) / 2
}
