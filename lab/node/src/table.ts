/** Formats comparisons as text tables. */

import { flawed, type Line, WITHIN } from './summary.js'

/** Below this many samples p99.9 is meaningless and not shown. */
const TAIL_SAMPLES = 10_000

/** A column: its heading, and its text for a line. */
export type Column<L> = [heading: string, text: (line: L) => string]

export const whole = (value: number | undefined) =>
  value === undefined || Number.isNaN(value)
    ? '-'
    : value >= 10
      ? Math.round(value).toLocaleString('en-US')
      : value.toFixed(1)
export const tenths = (value: number | null | undefined) =>
  value === undefined || value === null ? '-' : value.toFixed(value >= 10 ? 1 : 2)

/** The number of errors, and how many of them were timeouts. */
export const errorsOf = (errors: number, timeouts = 0) =>
  errors.toLocaleString('en-US') +
  (timeouts ? ` (${timeouts.toLocaleString('en-US')} timeouts)` : '')

const columns = (unit: string): Column<Line>[] => [
  ['client', (line) => `${line.client} ${line.version}${flawed(line) ? ' !' : ''}`],
  [`${unit}/s`, (line) => whole(line.rate)],
  ['spread %', (line) => (line.rounds < 2 ? '-' : whole(line.spread))],
  [`CPU us/${unit}`, (line) => tenths(line.cpu)],
  ['server', (line) => tenths(line.cpuServer)],
  ['p50 us', (line) => whole(line.percentiles?.p50)],
  ['p90', (line) => whole(line.percentiles?.p90)],
  ['p99', (line) => whole(line.percentiles?.p99)],
  [
    'p99.9',
    (line) => ((line.samples ?? 0) < TAIL_SAMPLES ? '-' : whole(line.percentiles?.['p99.9'])),
  ],
  ...WITHIN.map(
    (bound): Column<Line> => [`<=${bound} ms %`, (line) => tenths(line.within?.[bound])],
  ),
  ['loop p50 us', (line) => whole(line.loopDelay?.p50)],
  ['p99', (line) => whole(line.loopDelay?.p99)],
  ['errors', (line) => errorsOf(line.errors, line.timeouts)],
  ['RSS MB', (line) => (line.peakRss === undefined ? '-' : whole(line.peakRss / 1e6))],
  [`${unit}/s ÷ best`, (line) => tenths(line.rateRatio)],
  ['CPU ÷ best', (line) => tenths(line.cpuRatio)],
]

/** A group as a table with notes. */
export function table(title: string, lines: readonly Line[], rows: number): string {
  return columned(title, columns(rows === 1 ? 'op' : 'row'), lines)
}

/** Fields common to all lines. */
interface AnyLine {
  client: string
  failures: readonly string[]
  errors?: number
  timeouts?: number
  firstError?: string | null
}

/** A table of these columns; text is left-aligned, numbers are right-aligned. */
export function columned<L extends AnyLine>(
  title: string,
  selection: readonly Column<L>[],
  lines: readonly L[],
): string {
  const cells = [selection.map(([heading]) => heading)]
  for (const line of lines) cells.push(selection.map(([, text]) => text(line)))
  const widths = selection.map((_, at) =>
    Math.max(...cells.map((row) => (row[at] as string).length)),
  )
  const isText = selection.map((_, at) =>
    cells.slice(1).some((row) => /^[a-z]/.test(row[at] as string)),
  )
  const text = cells.map((row) =>
    row
      .map((cell, at) =>
        isText[at] ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
  return `${[title, ...text, ...lines.flatMap(notes)].join('\n')}\n`
}

function notes(line: AnyLine): string[] {
  const texts = [...new Set(line.failures)].map((reason) => `a round failed: ${reason}`)
  const late = line.timeouts ? `, ${line.timeouts} of them timeouts` : ''
  if (line.errors) texts.push(`${line.errors} errors${late}, the first: ${line.firstError}`)
  return texts.map((text) => `  ${line.client}: ${text}`)
}
