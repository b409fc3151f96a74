/** Creates the functions that make rows, and values of user-defined types, of their columns. */

import { define } from '../bridge/objects.js'
import type { Column } from './rows.js'

/** Source text of an object literal whose properties are the variables from `v<first>` on. */
function literal(names: readonly string[], first: number): string {
  const fields = names.map((name, at) => {
    const quoted = JSON.stringify(name)
    return `${name === '__proto__' ? `[${quoted}]` : quoted}: v${first + at}`
  })
  return `{ ${fields.join(', ')} }`
}

function variables(count: number): string {
  return Array.from({ length: count }, (_, at) => `v${at}`).join(', ')
}

/** Builds an object property by property: for many columns, or if code generation is disallowed. */
function assemble(names: readonly string[], values: readonly unknown[], from: number): object {
  const object = {}
  for (let at = 0; at < names.length; at++) define(object, names[at] as string, values[from + at])
  return object
}

export type Append = (rows: unknown[], ...values: unknown[]) => void

/**
 * Creates a function that appends `together` rows to an array. Object literals are several times as
 * fast as setting properties one by one.
 */
function appender(names: readonly string[], together: number): Append {
  const literals = Array.from({ length: together }, (_, row) => literal(names, row * names.length))
  const parameters = variables(names.length * together)
  try {
    const body = `return (rows, ${parameters}) => { rows.push(${literals.join(', ')}) }`
    return new Function(body)() as Append
  } catch {
    return (rows, ...values) => {
      for (let row = 0; row < together; row++)
        rows.push(assemble(names, values, row * names.length))
    }
  }
}

/** The columns, and functions that append one row, append `together` rows, and make a row. */
export type Shape = [columns: readonly Column[], one: Append, many: Append, row: Factory]

/** The columns of a result, and what makes its rows. */
export function makeShape(
  names: string[],
  types: string[],
  keyspaces: string[],
  tables: string[],
  together: number,
  wide: boolean,
): Shape {
  const columns = names.map((name, at) =>
    Object.freeze({
      name,
      type: types[at] as string,
      keyspace: keyspaces[at] as string,
      table: tables[at] as string,
    }),
  )
  if (wide) {
    const append: Append = (rows, values) => {
      rows.push(assemble(names, values as unknown[], 0))
    }
    return [Object.freeze(columns), append, append, makeFactory(names)]
  }
  const one = appender(names, 1)
  const many = together > 1 ? appender(names, together) : one
  return [Object.freeze(columns), one, many, makeFactory(names)]
}

export type Factory = (...values: unknown[]) => unknown

/** Creates a function that makes objects with these property names. */
export function makeFactory(names: string[]): Factory {
  try {
    const body = `return (${variables(names.length)}) => (${literal(names, 0)})`
    return new Function(body)() as Factory
  } catch {
    return (...values) => assemble(names, values, 0)
  }
}

/** Creates a function that makes instances of a class with these property names. */
export function makeInstances(prototype: object, names: string[]): Factory {
  try {
    const fields = literal(names, 0).slice(1)
    const body = `return (${variables(names.length)}) => ({ __proto__: prototype, ${fields})`
    return new Function('prototype', body)(prototype) as Factory
  } catch {
    return (...values) => Object.setPrototypeOf(assemble(names, values, 0), prototype)
  }
}
