/** Statistics in the text format of Prometheus. */

import { checkOptions } from '../options/check.js'
import type { Family, Labels } from './families.js'
import { type Clients, Sources } from './sources.js'

/** The media type of the text. */
export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Options of everything that exports metrics. */
export interface ExportOptions {
  /** Added to every sample. Default: none. */
  labels?: { readonly [name: string]: string } | undefined
}

/**
 * The statistics of a client or session in the text format of Prometheus.
 *
 * For several clients in one text, pass an object of names and clients: the format requires each
 * metric in one place, with a label `client` to tell them apart. Closed clients are left out.
 *
 * @throws NoClientOpen if none is left; TypeError, RangeError for invalid clients and labels
 */
export function prometheus(client: Clients, options?: ExportOptions): string {
  return textOf(sourcesOf(client, options))
}

/** The clients with the labels of the options. */
export function sourcesOf(client: Clients, options: ExportOptions | undefined): Sources {
  checkOptions(options, ['labels'])
  return new Sources(client, options?.labels)
}

/** The text for clients. */
export function textOf(sources: Sources): string {
  return sources.families().map(lines).join('')
}

function lines({ name, kind, help, samples }: Family): string {
  const full = kind === 'counter' ? `${name}_total` : name
  const text = [`# HELP ${full} ${help}\n# TYPE ${full} ${kind}\n`]
  for (const { labels, value, buckets } of samples) {
    if (buckets === undefined) {
      text.push(line(full, labels, value))
      continue
    }
    for (const [bound, count] of buckets) {
      text.push(line(`${name}_bucket`, { ...labels, le: boundText(bound) }, count))
    }
    text.push(line(`${name}_sum`, labels, value))
    text.push(line(`${name}_count`, labels, buckets.at(-1)?.[1] ?? 0))
  }
  return text.join('')
}

function line(name: string, labels: Labels, value: number): string {
  const inside = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  const braced = inside.length > 0 ? `{${inside.join(',')}}` : ''
  return `${name}${braced} ${numberText(value)}\n`
}

/** The label `le` of a bucket, spelled as by the exporters of the other languages. */
export function boundText(bound: number): string {
  return bound === Number.POSITIVE_INFINITY ? '+Inf' : numberText(bound)
}

function numberText(value: number): string {
  if (value === 0 || Math.abs(value) >= 1e-4) return String(value)
  // `1e-6` is `1e-06` there: one series must not have two names.
  return value.toExponential().replace(/e-(\d)$/, 'e-0$1')
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
