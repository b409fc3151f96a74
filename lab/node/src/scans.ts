/** The benchmark of scans: whole sets, consumers of different speed, and memory use. */

import { CONSUMERS } from './consumers.js'
import type { Failure, ScanResult } from './job.js'
import { runtime } from './measure.js'
import { CANDIDATES } from './run.js'
import { interleaved, type Session } from './session.js'
import { median } from './summary.js'
import { type Column, columned, tenths, whole } from './table.js'

/** One way of one client with one consumer, over all rounds. Times are in microseconds. */
export interface ScanLine {
  client: string
  version: string
  way: string
  consumer: string
  records: number
  rounds: number
  failures: string[]
  /** Records per second. */
  rate?: number
  /** CPU time per record. */
  cpu?: number
  cpuServer?: number | null
  /**
   * Growth in bytes, from the resident memory before the first scan to the peak; the worst round.
   */
  grown?: number
  /**
   * Whether the peak was reported by the system; otherwise it is the highest of ten samples a
   * second.
   */
  grownExact?: boolean
  /** How every record of one scan was compared with what was written, or why not. */
  checked?: string
  loopDelay?: { p50: number; p99: number }
}

/** Bins of this total size: an integer, a float, a string and bytes. */
export function recordBins(size: number): string {
  const text = Math.floor(size / 4)
  return `I8,F8,S${text},B${size - 16 - text}`
}

/** Measures scans. Lines are added to `lines` and printed at the end. */
export async function measureScans(session: Session, lines: ScanLine[]): Promise<void> {
  const { settings } = session
  const records = settings.scan as number
  const clients = await session.usable()
  const [filler] = clients
  if (filler === undefined) return
  const about = {
    keys: records,
    set: `${settings.set}-scan-${settings.recordSize}`,
    bins: recordBins(settings.recordSize),
  }
  if (settings.populate) await session.fill({ ...session.job('populate', filler), ...about })
  const cells = clients.flatMap((client) =>
    (CANDIDATES[client]?.ways ?? []).flatMap((way) =>
      CONSUMERS.map((consumer) => ({ client, way, consumer })),
    ),
  )
  const rounds = new Map(cells.map((cell) => [cell, [] as (ScanResult | Failure)[]]))
  session.expect(cells.length * settings.rounds)
  try {
    for (const cell of interleaved(cells, settings.rounds)) {
      const { client, way, consumer } = cell
      const shape = { kind: 'scan', rows: 1, way: `${way}/${consumer}` }
      // No warmup: the first scan is long enough. Checking one round is enough.
      const verify = rounds.get(cell)?.length === 0
      const job = { ...session.job('scan', client), ...about, shape, warmup: 0, verify }
      const name = `${client}, ${way}, ${consumer}`
      rounds.get(cell)?.push(await session.measure<ScanResult>(job, name, brief))
    }
  } finally {
    for (const [cell, all] of rounds) {
      if (all.length > 0) lines.push(summariseScans({ ...cell, records }, all))
    }
    if (lines.length > 0) {
      const size = `${records.toLocaleString('en-US')} records of ${settings.recordSize} bytes`
      const title = `scans of ${size}, ${runtime()}, cluster ${session.site.title}`
      process.stdout.write(`${columned(title, COLUMNS, lines)}\n`)
      for (const line of lines) {
        for (const note of notes(line)) process.stdout.write(`  ${note}\n`)
      }
    }
  }
}

/** Summarises the rounds of a scan in one line. */
export function summariseScans(
  cell: Pick<ScanLine, 'client' | 'way' | 'consumer' | 'records'>,
  rounds: readonly (ScanResult | Failure)[],
): ScanLine {
  const results = rounds.filter((one): one is ScanResult => !('failed' in one))
  const line: ScanLine = {
    ...cell,
    version: results[0]?.version ?? '',
    rounds: rounds.length,
    failures: rounds.flatMap((one) => ('failed' in one ? [one.failed] : [])),
  }
  if (results.length === 0) return line
  const checked = results.find((one) => one.checked !== undefined)?.checked
  const each = (of: (one: ScanResult) => number) => median(results.map(of))
  return {
    ...line,
    rate: each((one) => one.records / one.elapsed),
    cpu: each((one) => ((one.cpu.user + one.cpu.system) * 1e6) / one.records),
    cpuServer: results.some((one) => one.server_cpu === null)
      ? null
      : each((one) => ((one.server_cpu as number) * 1e6) / one.records),
    grown: Math.max(...results.map((one) => one.memory.peak - one.memory.start)),
    grownExact: results.every((one) => one.memory.exact),
    ...(checked !== undefined && { checked }),
    loopDelay: {
      p50: each((one) => one.loop_delay.p50) / 1000,
      p99: each((one) => one.loop_delay.p99) / 1000,
    },
  }
}

/** Notes on a line that was measured or checked differently from others. */
export function notes({ client, way, consumer, grown, grownExact, checked }: ScanLine): string[] {
  const texts: string[] = []
  if (grown !== undefined && !grownExact) {
    texts.push('+MB is from ten samples a second: an earlier peak could not be reset')
  }
  if (checked?.startsWith('not')) {
    texts.push(`records were not compared with what was written: ${checked}`)
  }
  return texts.map((text) => `${client} ${way} ${consumer}: ${text}`)
}

const COLUMNS: Column<ScanLine>[] = [
  [
    'client',
    ({ client, version, failures }) => `${client} ${version}${failures.length ? ' !' : ''}`,
  ],
  ['records to', ({ way }) => way],
  ['consumer', ({ consumer }) => consumer],
  ['records/s', ({ rate }) => whole(rate)],
  ['CPU us', ({ cpu }) => tenths(cpu)],
  ['server', ({ cpuServer }) => tenths(cpuServer)],
  ['+MB', ({ grown }) => (grown === undefined ? '-' : tenths(grown / 1e6))],
  ['loop p50 us', ({ loopDelay }) => whole(loopDelay?.p50)],
  ['p99', ({ loopDelay }) => whole(loopDelay?.p99)],
]

function brief(result: ScanResult): string {
  const rate = Math.round(result.records / result.elapsed).toLocaleString('en-US')
  const grown = (result.memory.peak - result.memory.start) / 1e6
  return `${rate} records/s, +${grown.toFixed(1)} MB`
}
