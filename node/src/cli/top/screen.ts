/** Renders a view as tables in the terminal. */

import type { HotKeyLine, Line, NodeLine, View } from './view.js'

/** How many hot keys are shown. */
const HOT_KEYS = 10
/** The shortest that a name is cut to. */
const SHORTEST = 8

/** How text is emphasized. */
export type Style = 'bold' | 'red' | 'yellow'
const CODES: { readonly [style in Style]: number } = { bold: 1, red: 31, yellow: 33 }

/** Where lines go. */
export interface Surface {
  /** The number of characters in a line; infinite: nothing is cut. */
  readonly width: number
  readonly colours: boolean
}

/** The whole screen, in lines. */
export function screen(url: string, view: View, surface: Surface): string[] {
  const { total } = view
  const parts = [
    `${number(total.rate)}/s`,
    `p50 ${time(total.p50)}`,
    `p99 ${time(total.p99)}`,
    `errors ${number(total.errors)}/s`,
    `retries ${number(view.retries)}/s`,
    `in flight ${view.in_flight}`,
    `queued ${view.queued}`,
  ]
  if (view.hot_keys.length > 0 || view.hit_rate > 0) {
    parts.push(`near cache ${number(view.hit_rate)}/s`)
  }
  const lines = [
    styled(cut(visible(url), surface.width), 'bold', surface),
    ...wrapped(parts, surface),
  ]
  if (!view.counting) {
    const hint = 'Commands are not counted: client.metrics.enable()'
    lines.push(styled(cut(hint, surface.width), 'yellow', surface))
  }
  if (view.operations.length > 0) lines.push(...table('operation', view.operations, [], surface))
  lines.push(...table('node', view.nodes, NODE, surface))
  if (view.stages.length > 0) lines.push(...table('stage', view.stages, [], surface))
  if (view.hot_keys.length > 0) lines.push(...hotKeys(view.hot_keys, surface))
  return lines
}

/** Rendered when there is nothing to show. */
export function problem(url: string, why: string, surface: Surface): string[] {
  const lines = [styled(cut(visible(url), surface.width), 'bold', surface)]
  const text = visible(why)
  const width = Math.min(surface.width, 1000)
  for (let at = 0; at < text.length; at += width) {
    lines.push(styled(text.slice(at, at + width), 'red', surface))
  }
  return lines
}

/** A column of numbers. */
type Column<L> = readonly [title: string, cell: (line: L) => string]

const COMMON: readonly Column<Line>[] = [
  ['per s', ({ rate }) => number(rate)],
  ['p50', ({ p50 }) => time(p50)],
  ['p99', ({ p99 }) => time(p99)],
  ['errors/s', ({ errors }) => (errors > 0 ? number(errors) : '')],
]

const NODE: readonly Column<NodeLine>[] = [
  ['connections', ({ connections }) => String(connections)],
  ['breaker', ({ breaker_open }) => (breaker_open ? 'open' : '')],
  ['limit', ({ limit }) => (limit > 0 ? number(limit) : '')],
  ['waiting', ({ waiting }) => (waiting > 0 ? number(waiting) : '')],
  ['rejected/s', ({ rejections }) => (rejections > 0 ? number(rejections) : '')],
]

function table<L extends Line>(
  title: string,
  lines: readonly L[],
  more: readonly Column<L>[],
  surface: Surface,
): string[] {
  const columns = [...COMMON, ...more].map(([head, cell]) => [head, ...lines.map(cell)])
  // Where there is little room, columns without a number are left out.
  const visibleColumns = columns.filter(
    (cells) => surface.width === Number.POSITIVE_INFINITY || cells.slice(1).some((it) => it !== ''),
  )
  const names = [title, ...lines.map(({ name }) => visible(name))]
  const results = ['other results', ...lines.map(others)]
  const hasResults = results.slice(1).some((text) => text !== '')
  const widths = visibleColumns.map(widest)
  const numbers = widths.reduce((sum, width) => sum + width + 2, 0)
  const resultsWidth = hasResults ? Math.min(widest(results), 20) + 2 : 0
  const room = Math.max(surface.width - numbers - resultsWidth, SHORTEST)
  const first = Math.min(widest(names), room)
  const last = Math.max(surface.width - first - numbers - 2, 0)
  return names.map((name, row) => {
    const cells = visibleColumns.map((column, at) =>
      (column[row] as string).padStart(widths[at] as number),
    )
    const others = hasResults ? `  ${cut(results[row] as string, last)}` : ''
    const text = [cut(name, first).padEnd(first), ...cells].join('  ') + others
    const line = cut(text.trimEnd(), surface.width)
    if (row === 0) return styled(line, 'bold', surface)
    return (lines[row - 1]?.errors ?? 0) > 0 ? styled(line, 'red', surface) : line
  })
}

function others({ results }: Line): string {
  const others = Object.entries(results).filter(([result]) => result !== 'ok')
  return others
    .sort()
    .map(([result, rate]) => `${visible(result)} ${number(rate)}`)
    .join(', ')
}

function hotKeys(keys: readonly HotKeyLine[], surface: Surface): string[] {
  const some = keys.slice(0, HOT_KEYS)
  const rates = ['per s', ...some.map(({ rate }) => number(rate))]
  const digests = ['hot key', ...some.map(({ digest }) => visible(digest))]
  const of = ['of', ...some.map(({ namespace, set }) => visible(`${namespace} ${set}`.trim()))]
  return digests.map((digest, row) => {
    const cells = [digest.padEnd(widest(digests)), (rates[row] as string).padStart(widest(rates))]
    const line = cut([...cells, of[row]].join('  '), surface.width)
    return row === 0 ? styled(line, 'bold', surface) : line
  })
}

/** The parts of the head, on as many lines as they need. */
function wrapped(parts: readonly string[], { width }: Surface): string[] {
  const lines: string[] = []
  for (const part of parts) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 2 + part.length <= width) {
      lines[lines.length - 1] = `${last}  ${part}`
    } else {
      lines.push(cut(part, width))
    }
  }
  return lines
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, text.length), 0)
}

function cut(text: string, width: number): string {
  if (text.length <= width) return text
  return width < 1 ? '' : `${text.slice(0, width - 1)}…`
}

function styled(text: string, style: Style, { colours }: Surface): string {
  return colours ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text
}

function number(value: number): string {
  if (value >= 100 || Number.isInteger(value)) {
    return Math.round(value).toLocaleString('en-US')
  }
  return value.toFixed(1)
}

function time(seconds: number | null): string {
  if (seconds === null) return '-'
  if (seconds >= 1) return `${significant(seconds)} s`
  if (seconds >= 1e-3) return `${significant(seconds * 1e3)} ms`
  return `${(seconds * 1e6).toFixed(0)} µs`
}

function significant(value: number): string {
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)))
}

/**
 * Text from elsewhere with its control characters escaped: they could move the cursor, change
 * colours or retitle the window.
 */
function visible(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, (char) => {
    if (char === '\n') return '\\n'
    const code = (char.codePointAt(0) as number).toString(16)
    if (code.length <= 2) return `\\x${code.padStart(2, '0')}`
    return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\u{${code}}`
  })
}
