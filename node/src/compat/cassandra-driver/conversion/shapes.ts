/** Makes the rows of results: one object per row, of values that are decoded once. */

import { addConversion } from '../../../cql/conversions.js'
import type { Append, Factory, Shape } from '../../../cql/factories.js'
import type { DataType } from '../types/constants.js'
import { Row } from '../types/row.js'
import { type Decoder, decoderOf, type Encoding } from './decode.js'
import { nativeType, typeInfo } from './type-info.js'

/** A column of a result. */
export interface Column {
  readonly name: string
  readonly type: DataType
}

/** The prototype of the rows of a result: `Row`, with its columns. */
function prototypeOf(columns: readonly Column[]): object {
  return Object.create(Row.prototype, { __columns: { value: columns } }) as object
}

/** Source text of an object literal whose properties are the variables from `v<first>` on. */
function literal(
  columns: readonly Column[],
  decoders: readonly (Decoder | undefined)[],
  first: number,
): string {
  const fields = columns.map(({ name }, at) => {
    const value = `v${first + at}`
    const quoted = JSON.stringify(name)
    const key = name === '__proto__' ? `[${quoted}]` : quoted
    return `${key}: ${decoders[at] ? `${value} === null ? null : d${at}(${value})` : value}`
  })
  return `{ __proto__: prototype, ${fields.join(', ')} }`
}

/** Appends `together` rows, whose values are its arguments. */
function generated(
  columns: readonly Column[],
  decoders: readonly (Decoder | undefined)[],
  prototype: object,
  together: number,
): Append {
  const width = columns.length
  const values = Array.from({ length: width * together }, (_, at) => `v${at}`)
  const rows = Array.from({ length: together }, (_, row) => literal(columns, decoders, row * width))
  const names = decoders.map((_, at) => `d${at}`)
  const body = `return (rows, ${values.join(', ')}) => { rows.push(${rows.join(', ')}) }`
  return new Function('prototype', ...names, body)(prototype, ...decoders) as Append
}

/** Makes one row of its arguments. */
function generatedRow(
  columns: readonly Column[],
  decoders: readonly (Decoder | undefined)[],
  prototype: object,
): Factory {
  const values = columns.map((_, at) => `v${at}`)
  const names = decoders.map((_, at) => `d${at}`)
  const body = `return (${values.join(', ')}) => (${literal(columns, decoders, 0)})`
  return new Function('prototype', ...names, body)(prototype, ...decoders) as Factory
}

/** The same without code generation, for many columns, or where it is disallowed. */
function assembled(
  columns: readonly Column[],
  decoders: readonly (Decoder | undefined)[],
  prototype: object,
): (values: readonly unknown[], from: number) => object {
  return (values, from) => {
    const object = Object.create(prototype) as object
    columns.forEach(({ name }, at) => {
      const decode = decoders[at]
      const raw = values[from + at]
      const value = decode === undefined || raw === null ? raw : decode(raw as never)
      Object.defineProperty(object, name, {
        value,
        enumerable: true,
        writable: true,
        configurable: true,
      })
    })
    return object
  }
}

function shapeMaker(encoding: Encoding) {
  return (
    names: string[],
    types: string[],
    _keyspaces: string[],
    _tables: string[],
    together: number,
    wide: boolean,
  ): Shape => {
    const parsed = types.map(nativeType)
    const columns: readonly Column[] = names.map((name, at) => ({
      name,
      type: typeInfo(parsed[at] as never),
    }))
    const decoders = parsed.map((type) => decoderOf(type, encoding))
    const prototype = prototypeOf(columns)
    const make = assembled(columns, decoders, prototype)
    const row: Factory = (...values) => make(values, 0)
    const shared = columns as unknown as Shape[0]
    if (wide) {
      const one: Append = (rows, values) => {
        rows.push(make(values as unknown[], 0))
      }
      return [shared, one, one, row]
    }
    try {
      const append = (count: number) => generated(columns, decoders, prototype, count)
      const one = append(1)
      const many = together > 1 ? append(together) : one
      return [shared, one, many, generatedRow(columns, decoders, prototype)]
    } catch {
      const append = (count: number): Append => {
        return (rows, ...values) => {
          for (let at = 0; at < count; at++) rows.push(make(values, at * columns.length))
        }
      }
      return [shared, append(1), append(together), row]
    }
  }
}

/** Conversions by their options, since native ones cannot be removed. */
const known: [Encoding, number][] = []

/** The number of the conversion with these options. */
export function conversionFor(encoding: Encoding): number {
  const match = known.find(
    ([it]) =>
      it.map === encoding.map &&
      it.set === encoding.set &&
      Boolean(it.useBigIntAsLong) === Boolean(encoding.useBigIntAsLong) &&
      Boolean(it.useBigIntAsVarint) === Boolean(encoding.useBigIntAsVarint),
  )
  if (match !== undefined) return match[1]
  const number = addConversion(shapeMaker(encoding))
  known.push([encoding, number])
  return number
}
