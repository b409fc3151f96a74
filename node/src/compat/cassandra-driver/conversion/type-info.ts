/** Types of columns and parameters, as the native part describes them and as programs see them. */

import { type DataType, dataTypes, getDataTypeNameByCode } from '../types/constants.js'

/** A type as the native part describes it, parsed. */
export type NativeType =
  | string
  | ['list' | 'set', NativeType]
  | ['map', NativeType, NativeType]
  | ['tuple', ...NativeType[]]
  | ['vector', NativeType, number]
  | ['udt', keyspace: string, name: string, fields: [string, NativeType][]]
  | ['custom', string]

/** A field of a user-defined type. */
export interface UdtField {
  name: string
  type: DataType
}

/** Parses the native part's description. */
export function nativeType(text: string): NativeType {
  return JSON.parse(text) as NativeType
}

/** Server classes that programs see as custom types. */
const DURATION = 'org.apache.cassandra.db.marshal.DurationType'

/** A type as programs see it, in `columns` of a result. */
export function typeInfo(type: NativeType): DataType {
  if (typeof type === 'string') {
    if (type === 'duration') return { code: dataTypes.custom, info: DURATION }
    if (type === 'text') return { code: dataTypes.varchar, info: null }
    return { code: dataTypes[type as 'int'] ?? dataTypes.blob, info: null }
  }
  switch (type[0]) {
    case 'list':
    case 'set':
      return { code: dataTypes[type[0]], info: typeInfo(type[1]) }
    case 'map':
      return { code: dataTypes.map, info: [typeInfo(type[1]), typeInfo(type[2])] }
    case 'tuple':
      return { code: dataTypes.tuple, info: type.slice(1).map((it) => typeInfo(it as NativeType)) }
    case 'vector':
      return {
        code: dataTypes.custom,
        customTypeName: 'vector',
        info: [typeInfo(type[1]), type[2]],
      }
    case 'udt': {
      const [, keyspace, name, fields] = type
      const info = { keyspace, name, fields: fields.map(([field, of]) => fieldOf(field, of)) }
      return { code: dataTypes.udt, info }
    }
    default:
      return { code: dataTypes.custom, info: type[1] }
  }
}

/** The native part's description of a type of a program; `undefined` if only the server knows it. */
export function nativeOf(type: DataType): NativeType | undefined {
  const { code, info } = type
  const { list, set, map, tuple, udt, custom } = dataTypes
  if (code === udt) return undefined
  if (code === custom) {
    if (type.customTypeName !== 'vector') return undefined
    const element = nativeOf(info[0])
    return element && ['vector', element, info[1]]
  }
  if (![list, set, map, tuple].includes(code as 32)) {
    return code === dataTypes.varchar ? 'text' : getDataTypeNameByCode({ code })
  }
  const parts = (Array.isArray(info) ? info : [info]).map((part) => part && nativeOf(part))
  if (parts.includes(undefined) || parts.includes(null)) return undefined
  return [getDataTypeNameByCode({ code }), ...parts] as NativeType
}

function fieldOf(name: string, type: NativeType): UdtField {
  return { name, type: typeInfo(type) }
}

/** The name of a type, for `subtype` of vectors. */
export function typeName(type: NativeType): string {
  if (typeof type === 'string') return type === 'text' ? 'varchar' : type
  const [kind, ...rest] = type
  if (kind === 'vector') return `vector<${typeName(rest[0] as NativeType)}, ${rest[1]}>`
  if (kind === 'udt') return rest[1] as string
  if (kind === 'custom') return kind
  return `${kind}<${rest.map((it) => typeName(it as NativeType)).join(', ')}>`
}
