/** Types of columns of tables, from CQL. */

import { type DataType, dataTypes, splitTypes } from '../types/constants.js'

/** A keyspace with its user-defined types: types by field, by type. */
export interface KeyspaceTypes {
  readonly name: string
  readonly types: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** A user-defined type. */
export interface Udt {
  name: string
  keyspace: string
  fields: { name: string; type: DataType }[]
}

/** A user-defined type of a keyspace, or `null`. */
export function udtOf(name: string, keyspace: KeyspaceTypes): Udt | null {
  const fields = keyspace.types.get(name)
  if (fields === undefined) return null
  return {
    name,
    keyspace: keyspace.name,
    fields: [...fields].map(([field, type]) => ({
      name: field,
      type: parseType(type, keyspace),
    })),
  }
}

/** A type in CQL notation. */
export function parseType(text: string, keyspace: KeyspaceTypes, frozen = false): DataType {
  if (text.startsWith("'")) {
    return { code: dataTypes.custom, info: text.slice(1, -1).replaceAll("''", "'") }
  }
  const match = /^(\w+)<(.*)>$/s.exec(text)
  if (match !== null) {
    const [, kind, inner] = match as unknown as [string, string, string]
    if (kind === 'frozen') return parseType(inner, keyspace, true)
    const parts = splitTypes(inner)
    if (kind === 'vector') {
      const info = [parseType(parts[0] as string, keyspace), Number.parseInt(parts[1] ?? '', 10)]
      return { code: dataTypes.custom, customTypeName: 'vector', info }
    }
    const all = parts.map((part) => parseType(part, keyspace))
    const info = kind === 'list' || kind === 'set' ? all[0] : all
    return { code: dataTypes[kind as 'list'], info, options: { frozen } }
  }
  if (text === 'empty') return { code: dataTypes.custom, info: 'empty' }
  const code = (dataTypes as unknown as { [name: string]: unknown })[text]
  if (typeof code === 'number') return { code, info: null }
  const name = text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text
  const udt = udtOf(name, keyspace)
  if (udt === null) throw new TypeError(`there is no type ${text}`)
  return { code: dataTypes.udt, info: udt, options: { frozen } }
}
