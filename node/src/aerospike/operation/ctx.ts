/**
 * Context paths to a list or map nested in a bin, for the option `ctx` of `op` and `exp`.
 *
 * ```ts
 * import { ctx, op } from 'spikewire'
 *
 * // the list at key "tags" of the first map in the list "items"
 * op.list.append('items', 'new', { ctx: [ctx.listIndex(0), ctx.mapKey('tags')] })
 * ```
 *
 * A path is an array of steps, from the bin inward. If a step leads nowhere, the operation fails
 * with `OpNotApplicable`, unless the step creates what is missing: `listIndexCreate` and
 * `mapKeyCreate` create the list or map with the given order.
 *
 * `allChildren`, `mapKeysIn` and `andWhere` name several elements. They are for the paths of
 * `op.path` and `exp.path`, in which steps by value name all equal elements, too.
 */

import { inspect } from 'node:util'
import { native } from '../model/native.js'
import type { Where } from './expression.js'
import { type Invocation, sourceText, withDefaults } from './invocation.js'
import type { BinValue, Integer, MapKey } from './types.js'
import type { ListOrder, MapOrder } from './words.js'

/** A step of a path to a nested list or map; created by the functions of `ctx`. */
export class Step {
  /** The encoded step. */
  readonly encoded: Uint8Array
  readonly #invocation: Invocation

  private constructor(encoded: Uint8Array, invocation: Invocation) {
    this.encoded = encoded
    this.#invocation = invocation
  }

  /** @internal */
  static of(encoded: Uint8Array, invocation: Invocation): Step {
    return new Step(encoded, invocation)
  }

  /** Whether both steps are the same. */
  equals(other: Step): boolean {
    return Buffer.compare(this.encoded, other.encoded) === 0
  }

  /** The call that creates the step, as source text. */
  toString(): string {
    return sourceText(this.#invocation)
  }

  /** @internal */
  [inspect.custom](): string {
    return this.toString()
  }
}

/** The path to a nested list or map: steps from the bin inward. Empty: the bin itself. */
export type Path = readonly Step[]

function step(kind: string, at: unknown): Step {
  const encoded = native.step(kind, at, undefined, false, false)
  return Step.of(encoded, { of: 'ctx', kind, values: [at], options: undefined })
}

/** Into a list or map, whichever exists, by index; negative from the end. For reads. */
export function index(index: Integer): Step {
  return step('index', index)
}

/**
 * Into a list or map, whichever exists, by rank: 0 is the smallest value, -1 the largest. For
 * reads.
 */
export function rank(rank: Integer): Step {
  return step('rank', rank)
}

/** Into a list or map, whichever exists, by value: the first one equal to it. For reads. */
export function value(value: BinValue): Step {
  return step('value', value)
}

/** Into a list by index; negative from the end. */
export function listIndex(index: Integer): Step {
  return step('list_index', index)
}

/** Into a list by rank: 0 is the smallest element, -1 the largest. */
export function listRank(rank: Integer): Step {
  return step('list_rank', rank)
}

/** Into a list by value: the first element equal to it. */
export function listValue(value: BinValue): Step {
  return step('list_value', value)
}

/** Into a map by the index of its keys in order; negative from the end. */
export function mapIndex(index: Integer): Step {
  return step('map_index', index)
}

/** Into a map by the rank of its values: 0 is the smallest, -1 the largest. */
export function mapRank(rank: Integer): Step {
  return step('map_rank', rank)
}

/** Into a map by key: a string, an integer or bytes. */
export function mapKey(key: MapKey): Step {
  return step('map_key', key)
}

/** Into a map by value: the first one equal to it. */
export function mapValue(value: BinValue): Step {
  return step('map_value', value)
}

/** The options of `mapKeyCreate`. */
export interface MapKeyCreateOptions {
  /** Stores an index with the map; on the first step only. Default: `false`. */
  persistIndex?: boolean | undefined
}

/** The options of `listIndexCreate`. */
export interface ListIndexCreateOptions {
  /** Fills an unordered list with `null` up to the index. Default: `false`. */
  pad?: boolean | undefined
  /** Stores an index with the list; on the first step only. Default: `false`. */
  persistIndex?: boolean | undefined
}

/** Into a list by index; the list is created with this order if it is missing. */
export function listIndexCreate(
  index: Integer,
  order: ListOrder = 'unordered',
  options?: ListIndexCreateOptions,
): Step {
  const kind = 'list_index_create'
  const settings = withDefaults('ctx', kind, { pad: false, persistIndex: false }, options)
  const encoded = native.step(
    'list_index_create',
    index,
    order,
    settings['pad'],
    settings['persistIndex'],
  )
  return Step.of(encoded, { of: 'ctx', kind, values: [index, order], options })
}

/** Into a map by key; the map is created with this order if it is missing. */
export function mapKeyCreate(
  key: MapKey,
  order: MapOrder = 'unordered',
  options?: MapKeyCreateOptions,
): Step {
  const kind = 'map_key_create'
  const settings = withDefaults('ctx', kind, { persistIndex: false }, options)
  const encoded = native.step(kind, key, order, false, settings['persistIndex'])
  return Step.of(encoded, { of: 'ctx', kind, values: [key, order], options })
}

/**
 * Into all elements of a list or map, or those for which `where` is true: an expression with
 * `exp.loop`, or a text in which `@` is the element, `@key` its key and `@index` its index, as in
 * `'@.price < 10'`; or an array of a text and its parameters. For paths.
 */
export function allChildren(where?: Where): Step {
  const kind = 'all_children'
  const encoded = where === undefined ? native.severalStep(kind) : native.filterStep(kind, where)
  return Step.of(encoded, { of: 'ctx', kind, values: [where], options: undefined })
}

/**
 * Into the values of a map at these keys, in the order of the map; keys that are not there count
 * for nothing. For paths, on servers from 8.1.2.
 */
export function mapKeysIn(keys: readonly MapKey[]): Step {
  const kind = 'map_keys_in'
  const encoded = native.severalStep(kind, keys)
  return Step.of(encoded, { of: 'ctx', kind, values: [keys], options: undefined })
}

/**
 * Only those elements that the step before names for which `where` is true, as in `allChildren`.
 * It cannot follow `allChildren`, or another filter. For paths, on servers from 8.1.2.
 */
export function andWhere(where: Where): Step {
  const kind = 'and_where'
  const encoded = native.filterStep(kind, where)
  return Step.of(encoded, { of: 'ctx', kind, values: [where], options: undefined })
}
