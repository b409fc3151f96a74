/** Clocks and counters read around the measured window. */

import { readFileSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { LoopDelay, MemoryGrowth, Usage } from './job.js'

/** Linux reports CPU time in hundredths of a second on every platform that Node runs on. */
const TICKS = 100
/** Interval of the timers whose lateness is the loop delay (ms). */
const RESOLUTION = 1

function text(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** User and system CPU seconds of another process; null if the system does not report them. */
function processCpu(pid: number | null): number | null {
  const stat = pid === null ? undefined : text(`/proc/${pid}/stat`)
  if (stat === undefined) return null
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

/** Busy seconds of all processors, without idle-priority (nice) processes. */
function machineCpu(): number | null {
  const fields = text('/proc/stat')?.split('\n', 1)[0]?.split(/\s+/).slice(1, 9).map(Number)
  if (fields === undefined || fields.length < 8) return null
  const [user, , system, , , irq, softirq, steal] = fields as [
    ...[number, number, number, number, number, number, number, number],
  ]
  return (user + system + irq + softirq + steal) / TICKS
}

/** The peak resident memory of this process, in bytes. */
export function peakRss(): number {
  return memory('VmHWM') ?? 1024 * process.resourceUsage().maxRSS
}

/** A field of this process's memory status, in bytes. */
function memory(field: string): number | undefined {
  const line = text('/proc/self/status')?.match(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm'))
  return line ? 1024 * Number(line[1]) : undefined
}

/**
 * By how much the peak may exceed the current size right after a reset, since other threads keep
 * running.
 */
const FORGOTTEN = 1 << 21

/** Resets the peak; returns whether that worked. */
function forgetPeak(): boolean {
  try {
    writeFileSync('/proc/self/clear_refs', '5')
  } catch {
    return false
  }
  const peak = memory('VmHWM')
  return peak !== undefined && peak - process.memoryUsage.rss() <= FORGOTTEN
}

/** The measured window of a run. */
export class Window {
  readonly #serverPid: number | null
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION })
  #clock = 0
  #usage = process.resourceUsage()
  #server: number | null = null
  #machine: number | null = null

  constructor(serverPid: number | null) {
    this.#serverPid = serverPid
  }

  open(): void {
    this.#delay.enable()
    this.#server = processCpu(this.#serverPid)
    this.#machine = machineCpu()
    this.#usage = process.resourceUsage()
    this.#clock = performance.now()
  }

  /** The usage since `open`. */
  close(): Usage & { loop_delay: LoopDelay } {
    const elapsed = (performance.now() - this.#clock) / 1000
    const before = this.#usage
    const after = process.resourceUsage()
    this.#delay.disable()
    return {
      elapsed,
      cpu: {
        user: (after.userCPUTime - before.userCPUTime) / 1e6,
        system: (after.systemCPUTime - before.systemCPUTime) / 1e6,
      },
      server_cpu: difference(this.#server, processCpu(this.#serverPid)),
      machine_cpu: difference(this.#machine, machineCpu()),
      switches: {
        voluntary: after.voluntaryContextSwitches - before.voluntaryContextSwitches,
        involuntary: after.involuntaryContextSwitches - before.involuntaryContextSwitches,
      },
      loop_delay: {
        p50: late(this.#delay.percentile(50)),
        p99: late(this.#delay.percentile(99)),
        max: late(this.#delay.max),
      },
    }
  }
}

/** How late a timer was: its interval minus the interval it was set to. */
function late(nanoseconds: number): number {
  return Math.max(0, nanoseconds - RESOLUTION * 1e6)
}

function difference(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before
}

/** The resident memory of this process over time. */
export class Curve {
  readonly #forgotten = forgetPeak()
  readonly #earlier = peakRss()
  readonly start = this.#forgotten ? this.#earlier : process.memoryUsage.rss()
  readonly points: [number, number][] = []
  readonly #began = performance.now()
  readonly #timer = setInterval(() => {
    const seconds = (performance.now() - this.#began) / 1000
    this.points.push([Math.round(seconds * 1000) / 1000, process.memoryUsage.rss()])
  }, 100)

  /** Ends sampling and returns the result. */
  end(): MemoryGrowth {
    clearInterval(this.#timer)
    const last = peakRss()
    // A peak that could not be reset is meaningful once it has been exceeded.
    const exact = this.#forgotten || last > this.#earlier
    const seen = this.points.reduce((most, [, size]) => Math.max(most, size), this.start)
    return { start: this.start, peak: exact ? last : seen, exact, curve: this.points }
  }
}

/** The versions of the runtime. */
export function runtime(): string {
  return `Node.js ${process.versions.node}, libuv ${process.versions.uv}`
}

export function loadAverage(): number[] {
  return loadavg().map((value) => Math.round(value * 100) / 100)
}
