/** The options of functions that make operations, expressions and paths: taken, and shown again. */

import { inspect } from 'node:util'

/** What a function was given, to show it again. */
export interface Given {
  /** The module, `op.list`, and the function in it as the table spells it, `get_range`. */
  readonly of: string
  readonly kind: string
  /** Its arguments; what stands behind the last one that is not `undefined` was left out. */
  readonly values: readonly unknown[]
  /** Its options. */
  readonly options: object | undefined
}

/** Options and what they are when they are left out, in the order in which the native part takes them. */
export type Known = Readonly<Record<string, unknown>>

/**
 * The options that a function was given, with the defaults of the others. Throws a `TypeError` that
 * names the function and the option that it does not know.
 */
export function taken(of: string, kind: string, known: Known, options: object | undefined): Known {
  if (options === undefined) return known
  if (options === null || typeof options !== 'object' || Array.isArray(options)) {
    throw new TypeError(`${of}.${camel(kind)}: options must be an object, not ${what(options)}`)
  }
  const found: Record<string, unknown> = { ...known }
  for (const [option, value] of Object.entries(options)) {
    if (!Object.hasOwn(known, option)) {
      const all = Object.keys(known).join(', ') || 'none'
      const unknown = `unknown option ${JSON.stringify(option)}; the options are ${all}`
      throw new TypeError(`${of}.${camel(kind)}: ${unknown}`)
    }
    if (value !== undefined) found[option] = value
  }
  return found
}

/** A value as an error message names it. */
export function what(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : typeof value
}

/** The call that was made, in one line. */
export function shown(given: Given): string {
  const end = given.values.findLastIndex((value) => value !== undefined) + 1
  const parts = given.values.slice(0, end).map(literal)
  const options = Object.entries(given.options ?? {})
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => `${name}: ${literal(value)}`)
  if (options.length > 0) parts.push(`{ ${options.join(', ')} }`)
  return `${given.of}.${camel(given.kind)}(${parts.join(', ')})`
}

function literal(value: unknown): string {
  return inspect(value, { depth: 4, breakLength: Number.POSITIVE_INFINITY, compact: true })
}

/** A name of the table as TypeScript writes it. */
export function camel(name: string): string {
  return name.replace(/_$/, '').replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
