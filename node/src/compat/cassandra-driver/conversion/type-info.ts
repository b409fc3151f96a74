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

function fieldOf(name: string, type: NativeType): UdtField {
  return { name, type: typeInfo(type) }
}

/** The name of a type, for `subtype` of vectors. */
export function typeName(type: NativeType): string {
  return getDataTypeNameByCode(typeInfo(type))
}
