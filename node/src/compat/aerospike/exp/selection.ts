/** What expressions on lists and maps return, and the paths and policies that they take. */

import type { Path } from '../../../aerospike/operation/ctx.js'
import type { Expression, Kind, Operand } from '../../../aerospike/operation/expression.js'
import { type Context, toNativeContext } from '../cdt.js'
import { type AerospikeExp, call, checkExpressions, type Entries, operand } from '../expression.js'
import { ArgumentFailure, NOT_APPLICABLE } from '../failures.js'
import { INVERTED, RETURNS } from '../numbers.js'
import { Properties } from '../properties.js'

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

/** A function of the engine, whose words and operands differ; it rejects other ones. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type EngineFunction = (...args: any[]) => Expression<never>

/** Stands for an argument of the engine's function that is left out. */
export const NONE = -1

/** The engine's operands: the first one, then arguments by their places. */
function placed(bin: AerospikeExp, args: readonly unknown[], places: readonly number[]): unknown[] {
  const others = places.map((place) => (place === NONE ? undefined : operand(args[place])))
  return [operand(bin), ...others]
}

/** The number of arguments that are expressions. The others follow them. */
function countOf(places: readonly number[]): number {
  return Math.max(NONE, ...places) + 1
}

/** The arguments after those that are expressions, which are checked. */
function after(count: number, bin: AerospikeExp, args: readonly unknown[]): unknown[] {
  checkExpressions(bin, ...Array.from({ length: count }, (_, at) => args[at]))
  return args.slice(count)
}

type Exps = readonly AerospikeExp[]

/** An expression that selects several elements. */
export type Several<A extends Exps> = (
  bin: AerospikeExp,
  ...args: [...operands: A, returnType: number, ctx?: Within]
) => AerospikeExp

/** An expression that selects one element; `valueType` is one of `exp.type`. */
export type One<A extends Exps> = (
  bin: AerospikeExp,
  ...args: [...operands: A, valueType: number, returnType: number, ctx?: Within]
) => AerospikeExp

/** An expression that gives a new list or map. */
export type Changing<A extends Exps> = (
  bin: AerospikeExp,
  ...args: [...operands: A, ctx?: Within]
) => AerospikeExp

/** An expression that gives a new list or map, with options. */
export type Writing<A extends Exps, P> = (
  bin: AerospikeExp,
  ...args: [...operands: A, policy?: P | null, ctx?: Within]
) => AerospikeExp

/** An expression without some elements; all the others if `returnType` is inverted. */
export type Removing<A extends Exps> = (
  bin: AerospikeExp,
  ...args: [...operands: A, ctx?: Within, returnType?: number]
) => AerospikeExp

function entriesIn(returning: Returning): Entries | undefined {
  return returning === 'key_value' || returning === 'unordered_map' ? returning : undefined
}

/**
 * Functions of `exp.lists` or `exp.maps` on top of the engine's. `places` says which argument each
 * operand of the engine's function is.
 */
function functionsFor(known: readonly Returning[]) {
  function several<A extends Exps>(make: EngineFunction, places: readonly number[]): Several<A> {
    const count = countOf(places)
    return (bin, ...args) => {
      const [returnType, ctx] = after(count, bin, args) as [number, Within]
      const { returning, inverted } = selectionOf(known, returnType, undefined)
      const options = () => ({ returning, inverted, ...within(ctx) })
      const built = () => make(...placed(bin, args, places), options()) as Operand
      return call(built, entriesIn(returning))
    }
  }

  function one<A extends Exps>(make: EngineFunction, places: readonly number[]): One<A> {
    const count = countOf(places)
    return (bin, ...args) => {
      const [valueType, returnType, ctx] = after(count, bin, args) as [number, number, Within]
      const selection = selectionOf(known, returnType, valueType)
      const options = () => ({ ...single(selection, valueType), ...within(ctx) })
      const built = () => make(...placed(bin, args, places), options()) as Operand
      return call(built, entriesIn(selection.returning))
    }
  }
  return { several, one }
}

function single(
  of: Selection,
  valueType: number,
): { returning: Returning; kind: Kind | undefined } {
  const { returning, inverted, kind, isElement } = of
  if (inverted) throw new ArgumentFailure('one element cannot be inverted', NOT_APPLICABLE)
  if (kind === undefined && isElement && valueType !== type.AUTO) {
    throw new ArgumentFailure('no element is of this type', NOT_APPLICABLE)
  }
  return { returning, kind }
}

export const ofList = functionsFor(OF_LISTS)
export const ofMap = functionsFor(OF_MAPS)

/** A function without options but a path. */
export function changing<A extends Exps>(
  make: EngineFunction,
  places: readonly number[],
): Changing<A> {
  const count = countOf(places)
  return (bin, ...args) => {
    const [ctx] = after(count, bin, args) as [Within]
    return call(() => make(...placed(bin, args, places), within(ctx)) as Operand)
  }
}

/** A function with options, which `optionsOf` finds in a policy. */
export function writing<A extends Exps, P>(
  make: EngineFunction,
  places: readonly number[],
  optionsOf: (of: Properties) => object,
): Writing<A, P> {
  const count = countOf(places)
  return (bin, ...args) => {
    const [policy, ctx] = after(count, bin, args) as [P | null | undefined, Within]
    const options = () => optionsOf(new Properties({ policy: policy ?? undefined }))
    return call(() => {
      return make(...placed(bin, args, places), { ...options(), ...within(ctx) }) as Operand
    })
  }
}

/** A function that removes elements; `isOne`: a single one, of which there is no inverse. */
export function removing<A extends Exps>(
  make: EngineFunction,
  places: readonly number[],
  isOne = false,
): Removing<A> {
  const count = countOf(places)
  return (bin, ...args) => {
    const [ctx, returnType = 0] = after(count, bin, args) as [Within, number?]
    const inverted = (returnType & INVERTED) !== 0
    return call(() => {
      if (isOne && inverted) {
        throw new ArgumentFailure('one element cannot be inverted', NOT_APPLICABLE)
      }
      const options = isOne ? within(ctx) : { inverted, ...within(ctx) }
      return make(...placed(bin, args, places), options) as Operand
    })
  }
}
