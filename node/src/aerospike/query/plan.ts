/** How a query would be executed. */

import type { GeoJSON } from '../model/values.js'
import type { IndexOf } from './range.js'

/** How a query would be executed, from its `explain`. */
export interface QueryPlan {
  /**
   * How records are found: by a secondary index, by examining every record of the set or namespace,
   * or not at all, because the filter is never true.
   */
  readonly access: 'index' | 'scan' | 'nothing'
  /**
   * Whether the nodes read the filter as text, and one of them has chosen the access. Otherwise the
   * filter, if there is one, is compiled by the client.
   */
  readonly onServer: boolean
  /** The name of the index, if the client knows it. */
  readonly index?: string
  /** The indexed bin, if the client knows it. */
  readonly bin?: string
  /** What of a list or map is indexed. */
  readonly of?: IndexOf
  /** The values looked up in the index: the least and the greatest integer, or one value. */
  readonly values?: readonly [low: bigint, high: bigint] | string | Buffer | GeoJSON
  /** The filter as the nodes get it, if they get text. */
  readonly text?: string
  /** The node that has chosen. */
  readonly node?: string
  /** Why no node has chosen. */
  readonly reason?: string
}

/** The parts of a plan, from the native part. */
export type PlanParts = [
  access: QueryPlan['access'],
  onServer: boolean,
  index: string | undefined,
  bin: string | undefined,
  of: IndexOf | undefined,
  values: QueryPlan['values'] | undefined,
  text: string | undefined,
  node: string | undefined,
  reason: string | undefined,
]

const OPTIONAL = ['index', 'bin', 'of', 'values', 'text', 'node', 'reason'] as const

/** The plan with these parts. */
export function toPlan([access, onServer, ...parts]: PlanParts): QueryPlan {
  const known = OPTIONAL.map((name, at) => [name, parts[at]] as const)
  const present = known.filter(([, value]) => value !== undefined)
  return Object.freeze({ access, onServer, ...Object.fromEntries(present) }) as QueryPlan
}

/** The options of a query, with what they say about texts for the native part. */
export function withTexts(
  native: object | undefined,
  options: { where?: unknown; index?: unknown } | undefined,
): object | undefined {
  // A text with parameters has become an expression.
  const isText = Array.isArray(options?.where)
  const hint = typeof options?.index === 'string' ? options.index : undefined
  if (!isText && hint === undefined) return native
  return { ...native, textFilter: isText, indexHint: hint }
}
