/** The options of the native session that those of a client mean. */

import { fileURLToPath } from 'node:url'
import type { SessionOptions } from '../../cql/options.js'
import { loginOptions } from './auth.js'
import { NotSupportedError } from './errors.js'
import { levelName } from './failures.js'
import { type CompleteOptions, definedOnly } from './options.js'
import { AddressTranslator } from './policies/address-resolution.js'
import { byEngine } from './policies/load-balancing.js'
import {
  ConstantReconnectionPolicy,
  ExponentialReconnectionPolicy,
  type ReconnectionPolicy,
} from './policies/reconnection.js'
import {
  ConstantSpeculativeExecutionPolicy,
  NoSpeculativeExecutionPolicy,
  type SpeculativeExecutionPolicy,
} from './policies/speculative-execution.js'
import { MonotonicTimestampGenerator } from './policies/timestamp-generation.js'
import { neverRetries } from './policy-runs.js'
import { consistencies, distance } from './types/constants.js'

/** Contact points with a port each. */
export function contactPoints({
  contactPoints: points,
  protocolOptions,
}: CompleteOptions): string[] {
  const port = protocolOptions.port ?? 9042
  return (points ?? []).map((point) => {
    if (/^\[.*\]:\d+$/.test(point) || /^[^:]+:\d+$/.test(point)) return point
    if (point.includes(':') && !point.startsWith('[')) return `[${point}]:${port}`
    return `${point}:${port}`
  })
}

/** What programs ask of the native session. */
export function sessionOptions(options: CompleteOptions): SessionOptions {
  const { queryOptions, socketOptions, pooling, protocolOptions, policies: all } = options
  const version = protocolOptions.maxVersion || undefined
  if (version !== undefined && version < 4) {
    throw new NotSupportedError(
      `protocolOptions.maxVersion ${version} is not supported: versions 4 and 5 of the protocol are`,
    )
  }
  const { fetchSize } = queryOptions
  const connections = pooling.coreConnectionsPerHost?.[distance.local]
  const result: { [name: string]: unknown } = {
    keyspace: options.keyspace,
    localDatacenter: byEngine(all.loadBalancing)?.localDc ?? options.localDataCenter,
    connectTimeout: socketOptions.connectTimeout,
    heartbeat: pooling.heartBeatInterval || undefined,
    timeout: socketOptions.readTimeout,
    pageSize: fetchSize === 0 ? undefined : fetchSize,
    consistency: levelName(queryOptions.consistency ?? consistencies.localOne),
    serialConsistency:
      queryOptions.serialConsistency === undefined
        ? undefined
        : levelName(queryOptions.serialConsistency),
    protocolVersion: version === 4 ? 4 : version === 5 ? 5 : undefined,
    timestamps: all.timestampGeneration?.constructor === MonotonicTimestampGenerator,
    connectionsPerNode: connections,
    warmConnections: pooling.warmup === false ? undefined : (connections ?? 1),
    pipelineDepth: pooling.maxRequestsPerConnection,
    schemaAgreement: (protocolOptions.maxSchemaAgreementWaitSeconds ?? 10) * 1000,
    maxRetries: neverRetries(all.retry) ? 0 : undefined,
    reconnect: reconnectPauses(all.reconnection),
    remoteDatacenters: byEngine(all.loadBalancing) === undefined ? true : undefined,
    application: definedOnly({
      APPLICATION_NAME: options.applicationName,
      APPLICATION_VERSION: options.applicationVersion,
      CLIENT_ID: options.id?.toString(),
    }),
    tls: options.sslOptions ? tlsOptions(options.sslOptions) : undefined,
    addressTranslator: translatorOf(all.addressResolution),
    ...copies(all.speculativeExecution),
    ...loginOptions(options.authProvider),
  }
  if (options.requestTracker) result['(lengths)'] = true
  if (options.cloud) {
    const bundle = options.cloud.secureConnectBundle
    const isUrl = bundle instanceof URL || /^\w{2,}:\/\//.test(bundle)
    result['secureConnectBundle'] = isUrl ? fileOf(String(bundle)) : bundle
  }
  return definedOnly(result) as SessionOptions
}

function fileOf(url: string): string {
  if (!url.startsWith('file:')) {
    throw new NotSupportedError('a secureConnectBundle must be a file: it is not downloaded')
  }
  return fileURLToPath(url)
}

function reconnectPauses(policy: ReconnectionPolicy): [number, number] {
  const pause = (milliseconds: number) => Math.max(1, milliseconds)
  if (policy.constructor === ExponentialReconnectionPolicy) {
    const { baseDelay, maxDelay } = policy as ExponentialReconnectionPolicy
    return [pause(baseDelay), Math.max(pause(baseDelay), maxDelay)]
  }
  if (policy.constructor === ConstantReconnectionPolicy) {
    const { delay } = policy as ConstantReconnectionPolicy
    return [pause(delay), pause(delay)]
  }
  // One of the program: its pauses, as far as they double.
  const schedule = policy.newSchedule()
  const pauses = Array.from({ length: 16 }, () => schedule.next())
    .filter((item) => !item.done)
    .map((item) => Number(item.value))
  if (pauses.length === 0) throw new TypeError('newSchedule() must have pauses in milliseconds')
  return [pause(Math.min(...pauses)), pause(Math.max(...pauses))]
}

function copies(policy: SpeculativeExecutionPolicy | undefined): SessionOptions {
  if (policy === undefined || policy.constructor === NoSpeculativeExecutionPolicy) return {}
  if (policy.constructor === ConstantSpeculativeExecutionPolicy) {
    const { _delay, _maxSpeculativeExecutions } = policy as ConstantSpeculativeExecutionPolicy
    return {
      speculativeDelay: Math.max(1, _delay),
      speculativeAttempts: Math.min(32, _maxSpeculativeExecutions),
    }
  }
  // One of the program is followed here; see `copies.ts`.
  return {}
}

function translatorOf(translator: AddressTranslator): SessionOptions['addressTranslator'] {
  if (translator.constructor === AddressTranslator.prototype.constructor) return undefined
  return (advertised) =>
    new Promise((resolve) => {
      const at = advertised.lastIndexOf(':')
      const host = advertised.slice(0, at).replace(/^\[(.*)\]$/, '$1')
      translator.translate(host, Number(advertised.slice(at + 1)), resolve)
    })
}

/** Options of `tls.connect` that the native session has. */
const TLS = [
  ...['ca', 'cert', 'key', 'passphrase', 'crl', 'servername', 'rejectUnauthorized'],
  ...['verifyHostname', 'systemCa', 'crlCheck'],
]
/** Those whose default is what the native session does. */
const IGNORED = ['host', 'port', 'secureProtocol', 'minVersion', 'maxVersion', 'ciphers']

function tlsOptions(options: { [name: string]: unknown }): SessionOptions['tls'] {
  const result: { [name: string]: unknown } = {}
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null || IGNORED.includes(name)) continue
    if (TLS.includes(name)) {
      result[name] = name === 'cert' && Array.isArray(value) ? value[0] : value
    } else {
      throw new NotSupportedError(
        `sslOptions.${name} is not supported: there are ${TLS.join(', ')}`,
      )
    }
  }
  return result
}
