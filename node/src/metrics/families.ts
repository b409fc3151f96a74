/** The statistics of a client as metric families, following Prometheus' conventions. */

import { type CommandStats, SECONDS, type StageStats, type Stats } from '../statistics/stats.js'
import {
  CLIENT,
  COMMANDS,
  EVERY,
  type FamilyOf,
  HISTOGRAMS,
  HOT_KEYS,
  NEAR_CACHE,
  NODES,
} from './table.js'

/** Names and values of labels. */
export type Labels = { readonly [name: string]: string }

/** A value with its labels; of a histogram, the sum of its durations in seconds. */
export interface Sample {
  readonly labels: Labels
  readonly value: number
  /**
   * Of a histogram: how many durations are at most so many seconds; the last bound is infinite.
   */
  readonly buckets?: readonly (readonly [bound: number, count: number])[]
}

/** A metric family: a name with its samples. */
export interface Family {
  /** Without `_total`. */
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: Sample[]
}

/** Names, kinds and documentation of all families. */
export const FAMILIES: readonly Omit<Family, 'samples'>[] = [
  ...Object.values(HISTOGRAMS).map((family) => ({ ...family, kind: 'histogram' as const })),
  ...[COMMANDS, NODES, NEAR_CACHE, HOT_KEYS, CLIENT].flat(),
]

/** All families of a client, in their order; those of a near cache only if it has one. */
export function families(stats: Stats): Family[] {
  const { nearCache } = stats
  return [
    histogram(HISTOGRAMS.commands, stats.commands, labelsOf),
    histogram(HISTOGRAMS.stages, stats.stages, ({ stage }) => ({ stage })),
    ...numbers(COMMANDS, stats.commands, labelsOf),
    ...numbers(NODES, stats.nodes, ({ label }) => ({ node: label })),
    ...(nearCache === null ? [] : numbers(NEAR_CACHE, [nearCache], () => ({}))),
    ...(nearCache === null
      ? []
      : numbers(HOT_KEYS, nearCache.hotKeys, ({ namespace, set, digest }) => ({
          namespace,
          set,
          digest: digest.toString('hex'),
        }))),
    ...numbers(CLIENT, [stats], () => ({})),
  ]
}

function labelsOf({ operation, namespace, node, result }: CommandStats): Labels {
  return { operation, namespace, node, result }
}

function numbers<T>(
  table: readonly FamilyOf<T>[],
  every: readonly T[],
  labels: (one: T) => Labels,
): Family[] {
  return table.map(({ name, kind, help, number }) => ({
    name,
    kind,
    help,
    samples: every.map((one) => ({ labels: labels(one), value: number(one) })),
  }))
}

function histogram<T extends CommandStats | StageStats>(
  { name, help }: { name: string; help: string },
  every: readonly T[],
  labels: (one: T) => Labels,
): Family {
  const samples = every.map((one) => ({
    labels: labels(one),
    value: one.milliseconds / 1000,
    buckets: bucketsOf(one),
  }))
  return { name, kind: 'histogram', help, samples }
}

function bucketsOf({ buckets, count }: CommandStats | StageStats): [number, number][] {
  const inside: [number, number][] = []
  let upTo = 0
  for (const [at, bound] of SECONDS.entries()) {
    upTo += buckets[at] as number
    if (at % EVERY === 0) inside.push([bound, upTo])
  }
  return [...inside, [Number.POSITIVE_INFINITY, count]]
}
