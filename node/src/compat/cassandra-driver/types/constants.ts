/** The numbers of consistencies, types, error codes and others. */

import { ArgumentError } from '../errors.js'

/** Consistency levels. */
export enum consistencies {
  any = 0x00,
  one = 0x01,
  two = 0x02,
  three = 0x03,
  quorum = 0x04,
  all = 0x05,
  localQuorum = 0x06,
  eachQuorum = 0x07,
  serial = 0x08,
  localSerial = 0x09,
  localOne = 0x0a,
}

/** Consistency levels in CQL's spelling, by number. */
export const consistencyToString: { [level: number]: string } = {}
for (const [name, level] of Object.entries(consistencies)) {
  if (typeof level !== 'number') continue
  consistencyToString[level] = name.replace(/[A-Z]/, (letter) => `_${letter}`).toUpperCase()
}

/** How far a node is, for policies. */
export enum distance {
  local = 0,
  remote,
  ignored,
}

/** The codes of errors of the server. */
export enum responseErrorCodes {
  serverError = 0x0000,
  protocolError = 0x000a,
  badCredentials = 0x0100,
  unavailableException = 0x1000,
  overloaded = 0x1001,
  isBootstrapping = 0x1002,
  truncateError = 0x1003,
  writeTimeout = 0x1100,
  readTimeout = 0x1200,
  readFailure = 0x1300,
  functionFailure = 0x1400,
  writeFailure = 0x1500,
  syntaxError = 0x2000,
  unauthorized = 0x2100,
  invalid = 0x2200,
  configError = 0x2300,
  alreadyExists = 0x2400,
  unprepared = 0x2500,
  clientWriteFailure = 0x8000,
}

/** A parameter that keeps the value of its column. */
export const unset: object = Object.freeze({ unset: true })

/** A type: its code, and what it is made of. */
export interface DataType {
  code: number
  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  info?: any
  options?: { frozen?: boolean; reversed?: boolean }
  customTypeName?: string
}

const CODES = {
  custom: 0x0000,
  ascii: 0x0001,
  bigint: 0x0002,
  blob: 0x0003,
  boolean: 0x0004,
  counter: 0x0005,
  decimal: 0x0006,
  double: 0x0007,
  float: 0x0008,
  int: 0x0009,
  text: 0x000a,
  timestamp: 0x000b,
  uuid: 0x000c,
  varchar: 0x000d,
  varint: 0x000e,
  timeuuid: 0x000f,
  inet: 0x0010,
  date: 0x0011,
  time: 0x0012,
  smallint: 0x0013,
  tinyint: 0x0014,
  duration: 0x0015,
  list: 0x0020,
  map: 0x0021,
  set: 0x0022,
  udt: 0x0030,
  tuple: 0x0031,
} as const
const NAMES = new Map<number, string>(Object.entries(CODES).map(([name, code]) => [code, name]))

/** @internal The parts of a list of types, at its outer commas. */
export function splitTypes(text: string): string[] {
  const parts: string[] = []
  let [depth, from] = [0, 0]
  for (const [at, letter] of [...text].entries()) {
    if (letter === '<') depth++
    else if (letter === '>') depth--
    else if (letter === ',' && depth === 0) {
      parts.push(text.slice(from, at).trim())
      from = at + 1
    }
  }
  parts.push(text.slice(from).trim())
  return parts
}

/** The codes of types by name, and `getByName`. */
export const dataTypes = {
  ...CODES,
  /**
   * The type of a name such as `map<text, int>`.
   *
   * @throws TypeError if there is no such type
   */
  getByName(name: string): DataType {
    const text = name.toLowerCase()
    const match = /^(list|set|map|udt|tuple|vector)<(.+)>$/.exec(text)
    if (match !== null) {
      const [, kind, inner] = match as unknown as [string, keyof typeof CODES | 'vector', string]
      if (kind === 'udt') return { code: CODES.udt, info: inner }
      const types = splitTypes(inner)
      if (kind === 'vector') {
        const info = [dataTypes.getByName(types[0] as string), Number.parseInt(types[1] ?? '', 10)]
        return { code: CODES.custom, customTypeName: 'vector', info }
      }
      const parts = types.map((type) => dataTypes.getByName(type))
      return { code: CODES[kind], info: kind === 'list' || kind === 'set' ? parts[0] : parts }
    }
    const code = CODES[text as keyof typeof CODES]
    if (code === undefined) throw new TypeError(`there is no type ${text}`)
    return { code }
  },
}

/** The type of the values of `dataTypes`, as a type. */
export type dataTypes = (typeof CODES)[keyof typeof CODES]

/**
 * The name of a type.
 *
 * @throws ArgumentError if there is no such type
 */
export function getDataTypeNameByCode(item: DataType): string {
  if (typeof item?.code !== 'number') throw new ArgumentError('a type must have a code')
  const name = NAMES.get(item.code)
  if (name === undefined) throw new ArgumentError(`there is no type with the code ${item.code}`)
  const { info } = item
  if (!info) return name
  if (item.code === CODES.custom && item.customTypeName === 'vector') {
    return `vector<${getDataTypeNameByCode(info[0])}, ${info[1]}>`
  }
  if (Array.isArray(info)) return `${name}<${info.map(getDataTypeNameByCode).join(', ')}>`
  if (typeof info.code === 'number') return `${name}<${getDataTypeNameByCode(info)}>`
  return item.code === CODES.udt ? info.name : name
}

const isDse = (version: number): boolean => version >= 0x41 && version <= 0x42

/** The versions of the native protocol. */
export const protocolVersion = {
  v1: 0x01,
  v2: 0x02,
  v3: 0x03,
  v4: 0x04,
  v5: 0x05,
  v6: 0x06,
  dseV1: 0x41,
  dseV2: 0x42,
  maxSupported: 0x42,
  minSupported: 0x01,
  isDse,
  /** Whether Cassandra has the version, and so has this drop-in or the other driver. */
  isSupportedCassandra: (version: number): boolean => version >= 0x01 && version <= 0x05,
  isSupported: (version: number): boolean => isDse(version) || (version >= 0x01 && version <= 0x05),
  supportsPaging: (version: number): boolean => version >= 2,
  supportsTimestamp: (version: number): boolean => version >= 3,
  supportsNamedParameters: (version: number): boolean => version >= 3,
  supportsUnset: (version: number): boolean => version >= 4,
  supportsKeyspaceInRequest: (version: number): boolean => version === 5 || version === 0x42,
  supportsFailureReasonMap: (version: number): boolean => version >= 5,
} as const

/** A version of the native protocol. */
export type protocolVersion = number

/** Names of events of the server. */
export const protocolEvents = {
  topologyChange: 'TOPOLOGY_CHANGE',
  statusChange: 'STATUS_CHANGE',
  schemaChange: 'SCHEMA_CHANGE',
} as const
