/** Cases in which the drop-in and npm `aerospike` do the same. */

import type { Theirs } from '../support/aerospike-pair.js'

/** Bins that a case starts with; a record with other bins only, if `b` is `undefined`. */
export type Start = { readonly [bin: string]: unknown }

/** What a program does, with the functions of either package. */
export interface Case {
  name: string
  start: Start
  /** The operations, or one. */
  make: () => Theirs
}

/** Collects cases. */
export class Cases {
  readonly all: Case[] = []

  /** A case that starts with a value in the bin `b`; without the bin if it is `undefined`. */
  on(start: unknown, name: string, make: () => Theirs): void {
    this.all.push({ name, start: start === undefined ? {} : { b: start }, make })
  }

  /** A case that starts with bins. */
  bins(start: Start, name: string, make: () => Theirs): void {
    this.all.push({ name, start, make })
  }

  /** A case for each of some functions. */
  each(start: unknown, name: string, functions: { [name: string]: () => Theirs }): void {
    for (const [each, make] of Object.entries(functions)) this.on(start, `${name} ${each}`, make)
  }
}

/** A value in the name of a case. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof Map) return 'a Map'
  const text = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part))
  return text ?? String(value)
}
