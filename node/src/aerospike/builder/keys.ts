/** The keys of a step. */

import { inspect, types } from 'node:util'
import { isAsyncIterable, isIterable } from '../../bridge/input.js'
import { kindOf } from '../batch/gather.js'
import { ManyVerbs } from '../batch/many.js'
import { Key } from '../model/key.js'

/** The keys of a step that begins a chain. Those of an async iterable are read by `stream()`. */
export type StepKeys = Iterable<Key> | AsyncIterable<Key>

/** Keys as they were given. */
export type SomeKeys = Key | StepKeys

/** The keys of a step: one by itself, or several. */
export function keysOf(
  verb: string,
  key: unknown,
  more: readonly Key[],
  mayBeAsync: boolean,
): SomeKeys {
  if (key instanceof Key) return more.length === 0 ? key : [key, ...more]
  const isAsync = isAsyncIterable(key)
  const fits = isIterable(key) && more.length === 0 && (mayBeAsync || !isAsync)
  if (fits && !(key instanceof ManyVerbs)) return key as StepKeys
  let hint = ''
  if (isAsync) hint = '; asynchronous ones begin a chain, by themselves'
  if (key instanceof ManyVerbs) {
    hint = '; a whole dataset can only be queried, or changed by its deleteAll and so on'
  } else if (['string', 'number', 'bigint'].includes(typeof key) || types.isUint8Array(key)) {
    hint = `; for a user key use dataset.key(${inspect(key)})`
  }
  throw new TypeError(`${verb} takes a Key or an iterable of them, not ${kindOf(key)}${hint}`)
}

/** Whether keys come from an iterator, which yields them only once. */
export function isIterator(keys: SomeKeys): boolean {
  return typeof (keys as Partial<Iterator<Key>>).next === 'function'
}
