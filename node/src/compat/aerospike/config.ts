/** The configuration of a client. */

import { inspect } from 'node:util'
import { type ConfigPolicies, createPolicy } from './policy.js'
import type { Host } from './types.js'

/** Encryption. */
export interface TLSInfo {
  /** Whether connections are encrypted. Default: true. */
  enable?: boolean | undefined
  /** A file with the certificates of trusted authorities. */
  cafile?: string | undefined
  /** A folder with such files. */
  capath?: string | undefined
  /** A file with the client's certificate. */
  certfile?: string | undefined
  /** A file with the client's private key. */
  keyfile?: string | undefined
  /** The password of that file. */
  keyfilePassword?: string | undefined
  cipherSuite?: string | undefined
  certBlacklist?: string | undefined
  crlCheck?: boolean | undefined
  crlCheckAll?: boolean | undefined
  forLoginOnly?: boolean | undefined
  logSessionInfo?: boolean | undefined
  protocols?: string | undefined
}

/** Where log lines go. */
export interface LogInfo {
  /** One of `log`. */
  level?: number | undefined
  /** A file descriptor. */
  file?: number | undefined
}

/** A file with settings: not supported. */
export interface ConfigProvider {
  path?: string | undefined
  interval?: number | undefined
}

/** The fields of a configuration. */
interface Fields {
  /** A name of the program, which nodes list among their clients. */
  appId?: string | undefined
  /** Where the user is managed, one of `auth`. */
  authMode?: number | undefined
  /** The name that the cluster must have. */
  clusterName?: string | undefined
  /** A file with settings: not supported. */
  configProvider?: ConfigProvider | undefined
  /** How long opening a connection may take, in milliseconds. */
  connTimeoutMs?: number | undefined
  /** The length of the window of `maxErrorRate`, in intervals of `tenderInterval`. */
  errorRateWindow?: number | undefined
  log?: LogInfo | undefined
  loginTimeoutMs?: number | undefined
  maxConnsPerNode?: number | undefined
  /** The number of errors of a node within the window from which on it is left alone. */
  maxErrorRate?: number | undefined
  /** How long a connection may be idle, in seconds. */
  maxSocketIdle?: number | undefined
  minConnsPerNode?: number | undefined
  /** Where modules of stream functions are on this machine. */
  modlua?: { userPath?: string | undefined; systemPath?: string | undefined } | undefined
  password?: string | undefined
  rackAware?: boolean | undefined
  rackId?: number | undefined
  rackIds?: number[] | undefined
  sharedMemory?: object | undefined
  /** The pause between two refreshes of the cluster view, in milliseconds. */
  tenderInterval?: number | undefined
  tls?: TLSInfo | undefined
  user?: string | undefined
}

/** A configuration, as programs write it. */
export interface ConfigOptions extends Fields {
  /** The seeds: `'host:port,...'`, or objects. Default: `AEROSPIKE_HOSTS`, or `localhost`. */
  hosts?: string | Host[] | undefined
  /** Policies by kind of call. */
  policies?: { [type: string]: object | undefined } | undefined
  /** The port of seeds without one. Default: 3000. */
  port?: number | undefined
  useAlternateAccessAddress?: boolean | undefined
}

const PORT = 3000
const STRINGS = ['user', 'password'] as const
const NUMBERS = ['authMode'] as const
const INTEGERS = [
  ...(['connTimeoutMs', 'loginTimeoutMs', 'maxSocketIdle', 'tenderInterval'] as const),
  ...(['maxConnsPerNode', 'minConnsPerNode', 'maxErrorRate', 'errorRateWindow', 'rackId'] as const),
] as const
const OBJECTS = ['tls', 'log', 'sharedMemory', 'modlua'] as const

/** The configuration of a client. Fields of another type than theirs are left out. */
export class Config {
  declare appId?: string | undefined
  declare authMode?: number
  declare clusterName?: string | undefined
  declare configProvider?: ConfigOptions['configProvider']
  declare connTimeoutMs?: number
  declare errorRateWindow?: number
  declare log?: LogInfo
  declare loginTimeoutMs?: number
  declare maxConnsPerNode?: number
  declare maxErrorRate?: number
  declare maxSocketIdle?: number
  declare minConnsPerNode?: number
  declare modlua?: NonNullable<ConfigOptions['modlua']>
  declare password?: string
  declare rackAware?: boolean | undefined
  declare rackId?: number
  declare rackIds?: number[] | undefined
  declare sharedMemory?: object
  declare tenderInterval?: number
  declare tls?: TLSInfo
  declare user?: string
  hosts: string | Host[]
  policies: ConfigPolicies
  port: number
  useAlternateAccessAddress: boolean

  /** @throws TypeError for policies of an unknown type */
  constructor(options?: ConfigOptions | null) {
    const from = options ?? {}
    const take = (names: readonly (keyof Fields)[], fits: (value: unknown) => boolean): void => {
      for (const name of names) if (fits(from[name])) Object.assign(this, { [name]: from[name] })
    }
    take(STRINGS, (value) => typeof value === 'string')
    take(NUMBERS, (value) => typeof value === 'number')
    take(INTEGERS, Number.isInteger)
    take(OBJECTS, (value) => typeof value === 'object' && value !== null)
    this.clusterName = from.clusterName
    this.rackAware = from.rackAware
    this.rackIds = from.rackIds
    this.configProvider = from.configProvider
    this.appId = from.appId
    this.port = typeof from.port === 'number' ? from.port : PORT
    this.hosts = from.hosts || process.env['AEROSPIKE_HOSTS'] || `localhost:${this.port}`
    this.useAlternateAccessAddress = Boolean(from.useAlternateAccessAddress)
    this.policies = {}
    if (typeof from.policies === 'object' && from.policies !== null) {
      this.setDefaultPolicies(from.policies)
    }
  }

  /** Sets policies by kind of call. */
  setDefaultPolicies(policies: { [type: string]: object | undefined }): void {
    for (const [type, values] of Object.entries(policies)) {
      ;(this.policies as { [type: string]: object | undefined })[type] = createPolicy(type, values)
    }
  }

  /** @internal */
  [inspect.custom](): object {
    const copy = { ...this }
    return this.password === undefined ? copy : { ...copy, password: '[FILTERED]' }
  }
}
