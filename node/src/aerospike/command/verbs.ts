/** The verbs on single records, common to clients and datasets. */

import type { Slot } from '../../addon/native.js'
import { type Callback, checkCallback, outcome, withSignal } from '../../bridge/callbacks.js'
import { commands } from '../../bridge/channels.js'
import { Connection } from '../../bridge/connection.js'
import { aboutRecord, executor, openSlot, rejectCall } from '../../bridge/slots.js'
import type { Key } from '../model/key.js'
import { native, type Space } from '../model/native.js'
import { publishCall } from '../model/published.js'
import type { OperatedRecord, Record } from '../model/record.js'
import { shapeOf } from '../model/shapes.js'
import type { BinValue } from '../model/values.js'
import type { Operation } from '../operation/operation.js'
import { Conversion } from '../typed/conversion.js'
import {
  type CallOptions,
  type DeadlineOptions,
  type HedgeOptions,
  LIMITS,
  type LimitOptions,
  READ_ONE,
  type ReadOptions,
  type ReplyOptions,
  toNativeOptions,
  WRITE,
  type WriteOptions,
} from './options.js'

/** Options of `get`. */
export interface GetOptions<D = never> extends ReadOptions, HedgeOptions {
  /** The bins to read. Default: all; an empty array reads none (only generation and TTL). */
  bins?: readonly string[] | undefined
  /** Returned instead of an error if the record does not exist or `where` is not true for it. */
  default?: D
}

/** Options of a write that creates nothing. */
export interface UpdateOptions extends WriteOptions {
  exists: 'update'
}

/** Options of `delete`. */
export interface DeleteOptions
  extends Pick<WriteOptions, 'generation' | 'durable' | 'where' | keyof LimitOptions> {
  /** Send the user key for the server to compare with the stored one. Default: false. */
  sendKey?: boolean | undefined
}

/** Options of `touch`. */
export type TouchOptions = Pick<
  WriteOptions,
  'ttl' | 'generation' | 'sendKey' | 'where' | keyof LimitOptions
>

/** Options of `apply`. */
export type ApplyOptions = Pick<
  WriteOptions,
  'ttl' | 'durable' | 'sendKey' | 'where' | keyof LimitOptions
>

interface OptionsOfOperations extends WriteOptions, Pick<ReadOptions, 'readTouch' | 'readMode'> {}

/**
 * Options of `operateMany`; `readTouch`, `readMode` and `deadline` are for operations that only
 * read.
 */
export interface OperateManyOptions extends OptionsOfOperations, DeadlineOptions, ReplyOptions {}

/**
 * Options of `operate`; `readTouch`, `readMode`, `hedge` and `shareReads` are for operations that
 * only read.
 */
export interface OperateOptions extends OptionsOfOperations, HedgeOptions {}

/** Options of `exists`. */
export interface ExistsOptions extends ReadOptions, HedgeOptions {}

const GET = [...READ_ONE, 'bins', 'default']
const EVERY_WRITE = ['sendKey', 'where', ...LIMITS]
export const DELETE = [...EVERY_WRITE, 'generation', 'durable']
const TOUCH = [...EVERY_WRITE, 'ttl', 'generation']
export const APPLY = [...EVERY_WRITE, 'ttl', 'durable']
const OPERATE = [...WRITE, 'readTouch', 'readMode']
export const OPERATE_MANY = [...OPERATE, 'deadline', 'respondAllKeys']
const OPERATE_ONE = [...OPERATE, 'hedge', 'shareReads']

/** @internal */
export const PUT = 0
const ADD = 1
const APPEND = 2
const PREPEND = 3
/** The names of these verbs. */
const WRITING: readonly string[] = ['put', 'add', 'append', 'prepend']

/**
 * The verbs on single records, with keys of type `K`, bins of type `B`, and writes of type `W`.
 */
export abstract class Verbs<K, B extends object, W extends object = Partial<B>> {
  /** @internal */
  readonly connection: Connection
  /** @internal Codec and schema; `undefined` if there are none. */
  readonly conversion: Conversion | undefined

  /** @internal */
  constructor(connection: Connection, conversion?: Conversion | undefined) {
    if (!(connection instanceof Connection)) {
      throw new TypeError(
        'a client comes from `await Client.connect(seeds, options)`, and a dataset from ' +
          '`client.dataset(namespace, set)`, not from `new`',
      )
    }
    this.connection = connection
    this.conversion = conversion
  }

  /** @internal The number of the set that a key belongs to. */
  abstract spaceOf(key: K | Key): Space
  /** @internal The form of a key in which the native part takes it. */
  abstract wireOf(key: K | Key): unknown

  /**
   * Reads a record.
   *
   * @throws RecordNotFound if the record does not exist; FilteredOut if `where` is not true for it
   */
  get<D = never>(key: K | Key, options?: GetOptions<D>): Promise<Record<B> | D>
  get(key: K | Key, callback: Callback<Record<B>>): void
  get(key: K | Key, options: GetOptions, callback: Callback<Record<B>>): void
  get<D>(
    key: K | Key,
    options?: GetOptions<D> | Callback<Record<B>>,
    callback?: Callback<Record<B>>,
  ): Promise<Record<B> | D> | undefined {
    if (typeof options === 'function') return this.get(key, {}, options) as undefined
    const hasDefault = typeof options === 'object' && options !== null && 'default' in options
    checkCallback(callback)
    const conversion = this.conversion
    const promise = this.#call<Record<B>>(
      key,
      options,
      'get',
      GET,
      (client, slot, space, wire, nativeOptions) => {
        const bins = conversion === undefined ? options?.bins : conversion.selection(options?.bins)
        native.get(client, slot, space, wire, bins, nativeOptions, hasDefault)
      },
    )
    if (conversion !== undefined) {
      const converted = promise.then((record) => {
        if (hasDefault && !record) return options.default as D
        return conversion.read(record)
      })
      return outcome(converted as Promise<Record<B>>, callback)
    }
    if (hasDefault) {
      const fallback = promise.then((record) => record ?? (options.default as D))
      return outcome(fallback as Promise<Record<B>>, callback)
    }
    return outcome(promise, callback)
  }

  /**
   * Writes the given bins and leaves the others unchanged; `null` removes a bin. With a schema, all
   * bins that a record must have are needed, except with `exists: 'update'`.
   *
   * @throws ConversionError if the bins do not fit the schema, or the codec cannot encode them
   */
  put(key: K | Key, bins: W, options?: WriteOptions): Promise<void>
  put(key: K | Key, bins: W, callback: Callback<void>): void
  put(key: K | Key, bins: W, options: WriteOptions, callback: Callback<void>): void
  put(key: K | Key, bins: Partial<W>, options: UpdateOptions): Promise<void>
  put(key: K | Key, bins: Partial<W>, options: UpdateOptions, callback: Callback<void>): void
  put(
    key: K | Key,
    bins: W | Partial<W>,
    options?: WriteOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return this.#write(PUT, key, bins, options, callback)
  }

  /** Adds to numbers; a missing bin counts as 0. */
  add(
    key: K | Key,
    bins: { [bin: string]: number | bigint | BinValue },
    options?: WriteOptions,
  ): Promise<void>
  add(
    key: K | Key,
    bins: { [bin: string]: number | bigint | BinValue },
    callback: Callback<void>,
  ): void
  add(
    key: K | Key,
    bins: { [bin: string]: number | bigint | BinValue },
    options: WriteOptions,
    callback: Callback<void>,
  ): void
  add(
    key: K | Key,
    bins: object,
    options?: WriteOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return this.#write(ADD, key, bins, options, callback)
  }

  /** Appends to strings or bytes; a missing bin counts as empty. */
  append(
    key: K | Key,
    bins: { [bin: string]: string | Uint8Array },
    options?: WriteOptions,
  ): Promise<void>
  append(key: K | Key, bins: { [bin: string]: string | Uint8Array }, callback: Callback<void>): void
  append(
    key: K | Key,
    bins: { [bin: string]: string | Uint8Array },
    options: WriteOptions,
    callback: Callback<void>,
  ): void
  append(
    key: K | Key,
    bins: object,
    options?: WriteOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return this.#write(APPEND, key, bins, options, callback)
  }

  /** Prepends to strings or bytes; a missing bin counts as empty. */
  prepend(
    key: K | Key,
    bins: { [bin: string]: string | Uint8Array },
    options?: WriteOptions,
  ): Promise<void>
  prepend(
    key: K | Key,
    bins: { [bin: string]: string | Uint8Array },
    callback: Callback<void>,
  ): void
  prepend(
    key: K | Key,
    bins: { [bin: string]: string | Uint8Array },
    options: WriteOptions,
    callback: Callback<void>,
  ): void
  prepend(
    key: K | Key,
    bins: object,
    options?: WriteOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    return this.#write(PREPEND, key, bins, options, callback)
  }

  /** Whether the record exists and `where` is true for it. */
  exists(key: K | Key, options?: ExistsOptions): Promise<boolean>
  exists(key: K | Key, callback: Callback<boolean>): void
  exists(key: K | Key, options: ExistsOptions, callback: Callback<boolean>): void
  exists(
    key: K | Key,
    options?: ReadOptions | Callback<boolean>,
    callback?: Callback<boolean>,
  ): Promise<boolean> | undefined {
    if (typeof options === 'function') return this.exists(key, {}, options) as undefined
    checkCallback(callback)
    const promise = this.#call<boolean>(
      key,
      options,
      'exists',
      READ_ONE,
      (client, slot, space, wire, nativeOptions) =>
        native.exists(client, slot, space, wire, nativeOptions),
    )
    return outcome(promise, callback)
  }

  /** Deletes a record; returns whether there was one for which `where` is true. */
  delete(key: K | Key, options?: DeleteOptions): Promise<boolean>
  delete(key: K | Key, callback: Callback<boolean>): void
  delete(key: K | Key, options: DeleteOptions, callback: Callback<boolean>): void
  delete(
    key: K | Key,
    options?: DeleteOptions | Callback<boolean>,
    callback?: Callback<boolean>,
  ): Promise<boolean> | undefined {
    if (typeof options === 'function') return this.delete(key, {}, options) as undefined
    checkCallback(callback)
    const promise = this.#call<boolean>(
      key,
      options,
      'delete',
      DELETE,
      (client, slot, space, wire, nativeOptions) =>
        native.remove(client, slot, space, wire, nativeOptions),
    )
    return outcome(promise, callback)
  }

  /** Renews the time to live of a record. */
  touch(key: K | Key, options?: TouchOptions): Promise<void>
  touch(key: K | Key, callback: Callback<void>): void
  touch(key: K | Key, options: TouchOptions, callback: Callback<void>): void
  touch(
    key: K | Key,
    options?: TouchOptions | Callback<void>,
    callback?: Callback<void>,
  ): Promise<void> | undefined {
    if (typeof options === 'function') return this.touch(key, {}, options) as undefined
    checkCallback(callback)
    const promise = this.#call<void>(
      key,
      options,
      'touch',
      TOUCH,
      (client, slot, space, wire, nativeOptions) =>
        native.touch(client, slot, space, wire, nativeOptions),
    )
    return outcome(promise, callback)
  }

  /**
   * Applies several operations to a record, in order and atomically; `results` has one result per
   * operation.
   */
  operate(
    key: K | Key,
    operations: readonly Operation[],
    options?: OperateOptions,
  ): Promise<OperatedRecord<B>>
  operate(
    key: K | Key,
    operations: readonly Operation[],
    callback: Callback<OperatedRecord<B>>,
  ): void
  operate(
    key: K | Key,
    operations: readonly Operation[],
    options: OperateOptions,
    callback: Callback<OperatedRecord<B>>,
  ): void
  operate(
    key: K | Key,
    operations: readonly Operation[],
    options?: OperateOptions | Callback<OperatedRecord<B>>,
    callback?: Callback<OperatedRecord<B>>,
  ): Promise<OperatedRecord<B>> | undefined {
    if (typeof options === 'function') {
      return this.operate(key, operations, {}, options) as undefined
    }
    checkCallback(callback)
    const promise = this.#call<OperatedRecord<B>>(
      key,
      options,
      'operate',
      OPERATE_ONE,
      (client, slot, space, wire, nativeOptions) =>
        native.operate(client, slot, space, wire, operations, nativeOptions),
    )
    const conversion = this.conversion
    if (conversion !== undefined) {
      const converted = promise.then((record) => conversion.read(record, operations))
      return outcome(converted, callback)
    }
    return outcome(promise, callback)
  }

  /** Calls a function of a registered module on a record; returns its result. */
  apply(
    key: K | Key,
    module: string,
    name: string,
    args?: readonly BinValue[],
    options?: ApplyOptions,
  ): Promise<BinValue>
  apply(
    key: K | Key,
    module: string,
    name: string,
    args: readonly BinValue[] | undefined,
    callback: Callback<BinValue>,
  ): void
  apply(
    key: K | Key,
    module: string,
    name: string,
    args: readonly BinValue[] | undefined,
    options: ApplyOptions,
    callback: Callback<BinValue>,
  ): void
  apply(
    key: K | Key,
    module: string,
    name: string,
    args?: readonly BinValue[],
    options?: ApplyOptions | Callback<BinValue>,
    callback?: Callback<BinValue>,
  ): Promise<BinValue> | undefined {
    if (typeof options === 'function') {
      return this.apply(key, module, name, args, {}, options) as undefined
    }
    checkCallback(callback)
    const promise = this.#call<BinValue>(
      key,
      options,
      'apply',
      APPLY,
      (client, slot, space, wire, nativeOptions) =>
        native.apply(client, slot, space, wire, module, name, args, nativeOptions),
    )
    return outcome(promise, callback)
  }

  #write(
    verb: number,
    key: K | Key,
    bins: object,
    options: WriteOptions | Callback<void> | undefined,
    callback: Callback<void> | undefined,
  ): Promise<void> | undefined {
    if (typeof options === 'function') return this.#write(verb, key, bins, undefined, options)
    checkCallback(callback)
    const conversion = this.conversion
    const promise = this.#call<void>(
      key,
      options,
      WRITING[verb] as string,
      WRITE,
      (client, slot, space, wire, nativeOptions) => {
        const plain =
          conversion === undefined
            ? bins
            : converted(conversion, verb, bins, options?.exists, space, wire)
        write(client, slot, space, wire, nativeOptions, verb, plain)
      },
    )
    return outcome(promise, callback)
  }

  /** Creates a promise; `send` sends the request that settles it. */
  #call<T>(
    key: K | Key,
    options: CallOptions | undefined,
    verb: string,
    known: readonly string[],
    send: (client: number, slot: Slot, space: Space, wire: unknown, options: unknown) => void,
  ): Promise<T> {
    const promise = new Promise<T>(executor)
    const slot = openSlot()
    try {
      const space = this.spaceOf(key)
      const wire = this.wireOf(key)
      aboutRecord(slot, space, wire)
      const nativeOptions = toNativeOptions(options, known)
      const signal = options?.signal
      if (signal !== undefined) signal.throwIfAborted()
      const client = this.connection.handle
      send(client, slot, space, wire, nativeOptions)
      if (signal !== undefined) {
        withSignal(promise, slot, signal, () => native.abandon(client, slot))
      }
    } catch (error) {
      rejectCall(slot, error)
    }
    if (commands.hasSubscribers) return publishCall(promise, verb, () => this.spaceOf(key))
    return promise
  }
}

/** The bins of a write, through schema and codec. Errors have the key. */
function converted(
  conversion: Conversion,
  verb: number,
  bins: object,
  exists: unknown,
  space: Space,
  wire: unknown,
): object {
  try {
    const plain = verb === PUT ? conversion.written(bins, exists) : conversion.changed(bins)
    return plain as object
  } catch (error) {
    throw Conversion.about(error, space, wire)
  }
}

function write(
  client: number,
  slot: Slot,
  space: Space,
  wire: unknown,
  options: unknown,
  verb: number,
  bins: object,
): void {
  const v: unknown[] = []
  writeShaped(client, slot, space, wire, options, verb, bins, shapeOf(bins, v), v)
}

/** @internal Writes these values as the bins whose names have the number `shape`, or are it. */
export function writeShaped(
  client: number,
  slot: Slot,
  space: Space,
  wire: unknown,
  options: unknown,
  verb: number,
  bins: object,
  shape: number | string[],
  v: readonly unknown[],
): void {
  if (typeof shape !== 'number') {
    native.write(client, slot, space, wire, options, verb, shape, v)
    return
  }
  // Separate arguments: the native part reads them faster than the elements of an array.
  switch (v.length) {
    case 1:
      native.write(client, slot, space, wire, options, verb, shape, v[0])
      return
    case 2:
      native.write(client, slot, space, wire, options, verb, shape, v[0], v[1])
      return
    case 3:
      native.write(client, slot, space, wire, options, verb, shape, v[0], v[1], v[2])
      return
    default:
      if (v.length > WIDEST) {
        native.write(client, slot, space, wire, options, verb, Object.keys(bins), v)
      } else {
        native.write(client, slot, space, wire, options, verb, shape, ...v)
      }
  }
}

/** Up to this many values are passed as separate arguments. */
const WIDEST = 16
