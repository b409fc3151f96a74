/** Codecs: how values of custom classes and certain bins are stored, and how bins are read. */

import { types as kinds } from 'node:util'
import { define } from '../../bridge/objects.js'
import { ConversionError } from '../model/conversion-error.js'
import { Double, GeoJSON, HyperLogLog, Marker } from '../model/values.js'

/** How the values of a bin are written and read. `null` is passed to neither function. */
export class Form<T = unknown> {
  /** From your value to one that a bin can hold; never to `null`. */
  readonly encode: (value: T) => unknown
  /** From what the bin holds to your value. */
  readonly decode: (value: never) => T

  /** @throws TypeError if one of them is not a function */
  constructor(encode: (value: T) => unknown, decode: (value: never) => T) {
    this.encode = checkedFunction('encode', encode)
    this.decode = checkedFunction('decode', decode)
  }
}

/** A class whose instances a codec converts. */
export type ValueClass = abstract new (...args: never[]) => object

/** The function of a class: from an instance to a value that a bin can hold. */
export type EncodeClass = (value: never) => unknown

/** What a `Codec` is made of. */
export interface CodecOptions {
  /**
   * Functions that convert instances of these classes, and of their subclasses, to plain values
   * wherever they occur: in a bin, a list or a map. For writes only; values are read back plain.
   */
  types?:
    | ReadonlyMap<ValueClass, EncodeClass>
    | Iterable<readonly [ValueClass, EncodeClass]>
    | undefined
  /** The form of every bin of this name. */
  bins?: { readonly [bin: string]: BinForm } | undefined
}

/** A `Form` of any type, or its two functions. */
export interface BinForm {
  readonly encode: (value: never) => unknown
  readonly decode: (value: never) => unknown
}

/** How many levels of lists and maps are looked at: more than can be written. */
const DEEPEST = 512

/** Classes that are stored without a codec. */
const STORED: readonly unknown[] = [
  ...[Object, Array, Map, Uint8Array, Buffer, ArrayBuffer, Double, GeoJSON, HyperLogLog, Marker],
]

/**
 * The classes and bins of a client or dataset that have their own form. Immutable.
 *
 * Forms of bins apply to `put`, `putMany` and batches, and wherever a bin is read whole. Arguments
 * of `add`, `append` and `prepend` are not encoded, nor are operations and tables: write
 * `op.put(bin, codec.encode(bin, value))`. A bin is not decoded in a call in which another operation
 * returns a part of it.
 */
export class Codec {
  /** The functions of classes. */
  readonly types: ReadonlyMap<ValueClass, EncodeClass>
  /** The forms of bins. */
  readonly bins: { readonly [bin: string]: Form }
  /** @internal */
  readonly forms: ReadonlyMap<string, Form>

  /** @throws TypeError for an invalid class, bin or form, and for an unknown option */
  constructor(options: CodecOptions = {}) {
    const known = ['types', 'bins']
    const unknown = Object.keys(options).find((name) => !known.includes(name))
    if (unknown !== undefined) {
      throw new TypeError(`a codec has types and bins, but no ${unknown}`)
    }
    const types = new Map<ValueClass, EncodeClass>()
    for (const [kind, encode] of pairs(options.types)) {
      types.set(checkedClass(kind), checkedFunction(`types: that of ${kind.name}`, encode))
    }
    const forms = new Map<string, Form>()
    for (const [bin, form] of Object.entries(options.bins ?? {})) {
      if (typeof form !== 'object' || form === null) {
        throw new TypeError(`bins: that of ${bin} must be a Form, not ${typeof form}`)
      }
      forms.set(
        bin,
        form instanceof Form
          ? form
          : new Form(form.encode as (value: unknown) => unknown, form.decode),
      )
    }
    this.types = types
    this.forms = forms
    this.bins = Object.freeze(Object.fromEntries(forms))
    Object.freeze(this)
  }

  /** @internal The codec for an option; `undefined` for one that converts nothing. */
  static of(option: unknown): Codec | undefined {
    if (option === undefined || option === null) return undefined
    if (typeof option !== 'object' || Array.isArray(option)) {
      throw new TypeError(`codec must be a Codec or an object of types and bins`)
    }
    const codec = option instanceof Codec ? option : new Codec(option as CodecOptions)
    return codec.types.size + codec.forms.size === 0 ? undefined : codec
  }

  /** @internal Both: what `more` has goes first. */
  static both(one: Codec | undefined, more: Codec | undefined): Codec | undefined {
    if (one === undefined || more === undefined) return one ?? more
    return new Codec({
      types: [...one.types, ...more.types],
      bins: { ...one.bins, ...more.bins },
    })
  }

  /** The stored form of a value of the bin; unchanged for bins without a form, and `null`. */
  encode(bin: string, value: unknown): unknown {
    const form = this.forms.get(bin)
    return form === undefined || value === null ? value : form.encode(value)
  }

  /** The value for the stored form of the bin; unchanged for bins without a form, and `null`. */
  decode(bin: string, value: unknown): unknown {
    const form = this.forms.get(bin)
    return form === undefined || value === null ? value : form.decode(value as never)
  }

  /** @internal The bins to write. With `whole`, forms of bins apply. */
  written(bins: object, whole: boolean): object {
    const result = {}
    const entries = kinds.isMap(bins) ? (bins as Map<string, unknown>) : Object.entries(bins)
    for (const [bin, value] of entries) {
      const encoded = whole && value !== undefined ? this.#encoded(bin, value) : value
      define(result, bin, this.types.size === 0 ? encoded : this.#plain(encoded, [bin]))
    }
    return result
  }

  #encoded(bin: string, value: unknown): unknown {
    const form = this.forms.get(bin)
    if (form === undefined || value === null) return value
    let encoded: unknown
    try {
      encoded = form.encode(value)
    } catch (error) {
      throw failure([bin], `the codec cannot encode a ${nameOf(value)}`, error)
    }
    if (encoded === null || encoded === undefined) {
      const message = `the codec makes ${encoded} of a ${nameOf(value)}, which would remove the bin`
      throw failure([bin], message)
    }
    return encoded
  }

  /**
   * A value with the instances of registered classes replaced. The original is not changed. `path` is
   * where it is; it is changed meanwhile.
   */
  #plain(value: unknown, path: PropertyKey[]): unknown {
    // What is deeper, or contains itself, is rejected when it is written.
    if (typeof value !== 'object' || value === null || path.length > DEEPEST) return value
    if (Array.isArray(value)) {
      let items: unknown[] | undefined
      for (let at = 0; at < value.length; at++) {
        const item = this.#inner(value[at], at, path)
        if (item === value[at]) continue
        items ??= value.slice()
        items[at] = item
      }
      return items ?? value
    }
    const encode = this.#of(value)
    if (encode !== undefined) return this.#converted(encode, value, path)
    if (kinds.isMap(value)) {
      const entries: [unknown, unknown][] = []
      for (const [key, item] of value) {
        entries.push([key, this.#inner(item, key as PropertyKey, path)])
      }
      return new Map(entries)
    }
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return value
    const result = {}
    for (const [name, item] of Object.entries(value)) {
      define(result, name, this.#inner(item, name, path))
    }
    return result
  }

  #inner(value: unknown, at: PropertyKey, path: PropertyKey[]): unknown {
    path.push(at)
    const plain = this.#plain(value, path)
    path.pop()
    return plain
  }

  #converted(encode: EncodeClass, value: object, path: PropertyKey[]): unknown {
    let encoded: unknown
    try {
      encoded = encode(value as never)
    } catch (error) {
      throw failure(path, `the codec cannot encode a ${nameOf(value)}`, error)
    }
    if (typeof encoded === 'object' && encoded !== null && this.#of(encoded) !== undefined) {
      const [result, source] = [nameOf(encoded), nameOf(value)]
      const message = `the codec makes a ${result} of a ${source}, which it would have to encode again`
      throw failure(path, message)
    }
    return encoded
  }

  /** The function for a value: that of its class, or of the nearest one it extends. */
  #of(value: object): EncodeClass | undefined {
    let prototype: { constructor?: unknown } | null = Object.getPrototypeOf(value)
    for (; prototype !== null; prototype = Object.getPrototypeOf(prototype)) {
      const encode = this.types.get(prototype.constructor as ValueClass)
      if (encode !== undefined) return encode
    }
    return undefined
  }

  /** @internal Decodes the bins of a record in place, except for those in `plain`. */
  read(bins: { [bin: string]: unknown }, plain?: ReadonlySet<string>): void {
    for (const [bin, form] of this.forms) {
      if (!Object.hasOwn(bins, bin) || plain?.has(bin)) continue
      define(bins, bin, decoded(form, bin, bins[bin]))
    }
  }

  /** @internal The value of a bin that an operation returned. */
  result(bin: string, value: unknown): unknown {
    const form = this.forms.get(bin)
    return form === undefined ? value : decoded(form, bin, value)
  }
}

function decoded(form: Form, bin: string, value: unknown): unknown {
  if (value === null) return null
  try {
    return form.decode(value as never)
  } catch (error) {
    throw failure([bin], `the codec cannot decode a ${nameOf(value)}`, error)
  }
}

function failure(path: PropertyKey[], what: string, cause?: unknown): ConversionError {
  const message = cause === undefined ? what : `${what}: ${textOf(cause)}`
  return new ConversionError([{ path, message }], undefined, null, cause)
}

function textOf(error: unknown): string {
  return kinds.isNativeError(error) ? error.message : String(error)
}

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return typeof value
  return value.constructor?.name || 'object'
}

function pairs(types: CodecOptions['types']): Iterable<readonly [ValueClass, EncodeClass]> {
  if (types === undefined) return []
  if (typeof types !== 'object' || types === null || !(Symbol.iterator in types)) {
    throw new TypeError('types must be a Map of classes to functions')
  }
  return types
}

function checkedClass(kind: unknown): ValueClass {
  if (typeof kind !== 'function' || typeof kind.prototype !== 'object') {
    throw new TypeError(`types must have classes as keys, not ${typeof kind}`)
  }
  if (STORED.includes(kind)) {
    throw new TypeError(`types: ${kind.name} is stored without a codec`)
  }
  return kind as unknown as ValueClass
}

function checkedFunction<F>(what: string, value: F): F {
  if (typeof value === 'function') return value
  throw new TypeError(`${what} must be a function, not ${value === null ? 'null' : typeof value}`)
}
