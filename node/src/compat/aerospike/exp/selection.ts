/** What expressions on lists and maps return, and the paths and policies that they take. */

import type { Path } from '../../../aerospike/operation/ctx.js'
import type { Expression, Kind, Operand } from '../../../aerospike/operation/expression.js'
import { type Context, toNativeContext } from '../cdt.js'
import { type AerospikeExp, call, type Entries } from '../expression.js'
import { ArgumentFailure, NOT_APPLICABLE } from '../failures.js'
import { INVERTED, RETURNS } from '../numbers.js'
import { flagsOf } from '../properties.js'

/** Types of values. */
export const type = {
  NIL: 0,
  BOOL: 1,
  INT: 2,
  STR: 3,
  LIST: 4,
  MAP: 5,
  BLOB: 6,
  FLOAT: 7,
  GEOJSON: 8,
  HLL: 9,
  /** The type that follows from what is returned, or from the use of the value. */
  AUTO: 10,
  ERROR: 11,
} as const
export type type = (typeof type)[keyof typeof type]

/** The engine's types, by number. */
export const KINDS: { readonly [type: number]: Kind } = {
  [type.BOOL]: 'bool',
  [type.INT]: 'int',
  [type.STR]: 'string',
  [type.LIST]: 'list',
  [type.MAP]: 'map',
  [type.BLOB]: 'blob',
  [type.FLOAT]: 'float',
  [type.GEOJSON]: 'geo',
  [type.HLL]: 'hll',
}

/** A path, or none. */
export type Within = Context | null | undefined

/** The engine's options for a path. */
export function within(ctx: Within): { ctx: Path | undefined } {
  return { ctx: toNativeContext(ctx) }
}

type Returning = (typeof RETURNS)[keyof typeof RETURNS]

/** What is returned, by a function that selects several elements, or only one. */
interface Selection {
  /** Words that the engine's functions for this selection know, or reject. */
  readonly returning: Returning
  readonly inverted: boolean
  /** The type of a single element; `undefined` if it follows from the use of the value. */
  readonly kind: Kind | undefined
  /** Whether it returns a single element itself. */
  readonly isElement: boolean
}

const POSITIONS: readonly Returning[] = ['index', 'reverse_index', 'rank', 'reverse_rank']
const ENTRIES: readonly Returning[] = ['key_value', 'unordered_map', 'ordered_map']

/** The type of what is returned. */
function typeOf(returning: Returning, valueType: number, several: boolean): number {
  if (POSITIONS.includes(returning)) return several ? type.LIST : type.INT
  if (ENTRIES.includes(returning)) return type.MAP
  if (returning === 'count') return type.INT
  if (returning === 'exists') return type.BOOL
  return several ? type.LIST : valueType
}

/** Return types of lists. Those of maps are more. */
const OF_LISTS: readonly Returning[] = [...POSITIONS, 'count', 'value', 'exists']
const OF_MAPS: readonly Returning[] = [...OF_LISTS, ...ENTRIES, 'key']

/**
 * What a function returns.
 *
 * @throws TypeError for an unknown return type, and if `valueType` is not the type of what is returned
 */
function selectionOf(
  known: readonly Returning[],
  returnType: number,
  valueType: number | undefined,
): Selection {
  const several = valueType === undefined
  const elementType = valueType ?? type.AUTO
  if (!Object.values<number>(type).includes(elementType)) throw new TypeError('unknown valueType')
  const words: { readonly [number: number]: Returning } = RETURNS
  const returning = words[returnType & ~INVERTED]
  if (returning === undefined || !known.includes(returning)) {
    throw new TypeError(`the returnType ${returnType} returns nothing`)
  }
  const resultType = typeOf(returning, elementType, several)
  if (elementType !== type.AUTO && elementType !== resultType) {
    throw new TypeError('valueType is not the type of what returnType returns; use AUTO')
  }
  const isElement = !several && (returning === 'value' || returning === 'key')
  const kind = isElement ? KINDS[elementType] : undefined
  return { returning, inverted: (returnType & INVERTED) !== 0, kind, isElement }
}

/** The options of the engine's function for a selection. */
// biome-ignore lint/suspicious/noExplicitAny: the words that it takes differ; it rejects other ones
type Options = any

/** An expression that selects; `make` has the engine's options. */
export type Select = (
  returnType: number,
  ctx: Within,
  make: (options: Options) => Operand,
) => AerospikeExp

/** An expression that selects one element. */
export type SelectOne = (
  valueType: number,
  returnType: number,
  ctx: Within,
  make: (options: Options) => Operand,
) => AerospikeExp

function entriesIn(returning: Returning): Entries | undefined {
  return returning === 'key_value' || returning === 'unordered_map' ? returning : undefined
}

function several(known: readonly Returning[]): Select {
  return (returnType, ctx, make) => {
    const { returning, inverted } = selectionOf(known, returnType, undefined)
    const options = (): Options => ({ returning, inverted, ...within(ctx) })
    return call(() => make(options()), entriesIn(returning))
  }
}

function one(known: readonly Returning[]): SelectOne {
  return (valueType, returnType, ctx, make) => {
    const { returning, inverted, kind, isElement } = selectionOf(known, returnType, valueType)
    const options = (): Options => {
      if (inverted) throw new ArgumentFailure('one element cannot be inverted', NOT_APPLICABLE)
      if (kind === undefined && isElement && valueType !== type.AUTO) {
        throw new ArgumentFailure('no element is of this type', NOT_APPLICABLE)
      }
      return { returning, kind, ...within(ctx) }
    }
    return call(() => make(options()), entriesIn(returning))
  }
}

export const ofList = { several: several(OF_LISTS), one: one(OF_LISTS) }
export const ofMap = { several: several(OF_MAPS), one: one(OF_MAPS) }

/** An expression on a list or map that gives a new one. */
export function changing(
  ctx: Within,
  make: (options: { ctx: Path | undefined }) => Expression<never>,
): AerospikeExp {
  return call(() => make(within(ctx)) as Operand)
}

/** An expression that removes one element, of which there is no inverse. */
export function removingOne(
  returnType: number,
  ctx: Within,
  make: (options: { ctx: Path | undefined }) => Expression<never>,
): AerospikeExp {
  return changing(ctx, (options) => {
    if (returnType & INVERTED) {
      throw new ArgumentFailure('one element cannot be inverted', NOT_APPLICABLE)
    }
    return make(options)
  })
}

/** An expression that removes elements: all but the selected ones if `returnType` is inverted. */
export function removing(
  returnType: number,
  ctx: Within,
  make: (options: { ctx: Path | undefined; inverted: boolean }) => Expression<never>,
): AerospikeExp {
  const inverted = (returnType & INVERTED) !== 0
  return changing(ctx, (options) => make({ ...options, inverted }))
}

/** Those of the options in a policy that a function takes. */
export function policyOptions<F extends string, O extends string, N extends F>(
  policy: { order?: number | undefined; writeFlags?: number | undefined } | null | undefined,
  known: { readonly [name in F]: number },
  orders: { readonly [order: number]: O },
  names: readonly N[],
): { [name in N]: boolean } & { order?: O } {
  const flags = flagsOf(policy?.writeFlags ?? 0, known)
  const options = Object.fromEntries(names.map((name) => [name, flags[name]]))
  const order = policy?.order === undefined ? undefined : orders[policy.order]
  return (order === undefined ? options : { ...options, order }) as { [name in N]: boolean }
}
