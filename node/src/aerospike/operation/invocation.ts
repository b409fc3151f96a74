/** Arguments and options of the functions that create operations, expressions and context paths. */

import { inspect } from 'node:util'

/** The arguments of a call, kept so that it can be displayed. */
export interface Invocation {
  /**
   * The module, such as `op.list`, and the function by its name in the table, such as `get_range`.
   */
  readonly of: string
  readonly kind: string
  /** Its arguments; trailing `undefined`s were left out. */
  readonly values: readonly unknown[]
  /** Its options. */
  readonly options: object | undefined
}

/** Option names with their defaults, in the order in which the native part takes them. */
export type OptionDefaults = Readonly<Record<string, unknown>>

/**
 * The options of a call, completed with defaults.
 *
 * @throws TypeError for an unknown option, with the function's name
 */
export function withDefaults(
  of: string,
  kind: string,
  known: OptionDefaults,
  options: object | undefined,
): OptionDefaults {
  if (options === undefined) return known
  if (options === null || typeof options !== 'object' || Array.isArray(options)) {
    throw new TypeError(`${of}.${camel(kind)}: options must be an object, not ${what(options)}`)
  }
  const values: Record<string, unknown> = { ...known }
  for (const [option, value] of Object.entries(options)) {
    if (!Object.hasOwn(known, option)) {
      const all = Object.keys(known).join(', ') || 'none'
      const unknown = `unknown option ${JSON.stringify(option)}; the options are ${all}`
      throw new TypeError(`${of}.${camel(kind)}: ${unknown}`)
    }
    if (value !== undefined) values[option] = value
  }
  return values
}

/** The kind of a value, for error messages. */
export function what(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : typeof value
}

/** The call as one line of source text. */
export function sourceText(invocation: Invocation): string {
  const end = invocation.values.findLastIndex((value) => value !== undefined) + 1
  const parts = invocation.values.slice(0, end).map(literal)
  const options = Object.entries(invocation.options ?? {})
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => `${name}: ${literal(value)}`)
  if (options.length > 0) parts.push(`{ ${options.join(', ')} }`)
  return `${invocation.of}.${camel(invocation.kind)}(${parts.join(', ')})`
}

function literal(value: unknown): string {
  return inspect(value, { depth: 4, breakLength: Number.POSITIVE_INFINITY, compact: true })
}

/** Converts a name of the table to camelCase. */
export function camel(name: string): string {
  return name.replace(/_$/, '').replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
