/** A configuration as options of Spikewire's client. */

import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AUTHS, type ClientOptions } from '../../aerospike/client-options.js'
import type { TlsOptions } from '../../options/tls.js'
import type { Config, TLSInfo } from './config.js'
import { invalid, unsupported } from './error.js'

/** More connections than this to a node are no use: commands share them. */
const CONNECTIONS = 16

/** Spikewire's options for a configuration. Throws for what it cannot do. */
export function optionsOf(config: Config): ClientOptions {
  if (config.sharedMemory !== undefined) {
    process.emitWarning('sharedMemory has no effect with spikewire/compat/aerospike')
  }
  const options: ClientOptions = { timeout: 1000, maxRetries: 2, protectServers: false }
  const set = (value: Partial<ClientOptions>): void => {
    Object.assign(options, value)
  }
  if (config.clusterName) set({ clusterName: config.clusterName })
  if (config.user !== undefined) set({ user: config.user, password: config.password ?? '' })
  if (config.authMode !== undefined) {
    const auth = AUTHS[config.authMode]
    if (auth === undefined) throw invalid('Invalid client configuration')
    if (config.user !== undefined || auth === 'pki') set({ auth })
  }
  if (config.connTimeoutMs !== undefined) set({ connectTimeout: config.connTimeoutMs })
  if (config.maxSocketIdle) set({ idleTimeout: config.maxSocketIdle * 1000 })
  if (config.tenderInterval) set({ tendInterval: Math.max(config.tenderInterval, 250) })
  set(errorRates(config))
  if (config.maxConnsPerNode) {
    set({ connectionsPerNode: Math.min(config.maxConnsPerNode, CONNECTIONS) })
  }
  if (config.minConnsPerNode) {
    set({ warmConnections: Math.min(config.minConnsPerNode, CONNECTIONS) })
  }
  const racks = config.rackIds ?? (config.rackId === undefined ? undefined : [config.rackId])
  if (config.rackAware && racks !== undefined && racks.length > 0) set({ racks })
  if (config.useAlternateAccessAddress) set({ useServicesAlternate: true })
  if (config.appId) set({ applicationId: applicationId(config.appId) })
  if (config.tls !== undefined && config.tls.enable !== false) set({ tls: tlsOf(config.tls) })
  return options
}

/** The longest window that Spikewire has. */
const LONGEST_WINDOW = 3600

/** Errors within a window: more than 100 per interval, or less than one, mean the defaults. */
function errorRates({ maxErrorRate = 100, errorRateWindow = 1 }: Config): Partial<ClientOptions> {
  const perInterval = maxErrorRate / errorRateWindow
  if (maxErrorRate === 0) return { maxErrorRate: 0 }
  if (!(perInterval >= 1 && perInterval <= 100)) return { maxErrorRate: 100, errorRateWindow: 1 }
  const window = Math.min(errorRateWindow, LONGEST_WINDOW)
  return { maxErrorRate: Math.round(perInterval * window), errorRateWindow: window }
}

/** Nodes list up to 40 visible characters of ASCII. */
function applicationId(name: string): string {
  return name.replace(/[^!-~]|,/g, '_').slice(0, 40)
}

function tlsOf(tls: TLSInfo): true | TlsOptions {
  for (const name of ['cipherSuite', 'certBlacklist', 'forLoginOnly', 'protocols'] as const) {
    if (tls[name] && !isOfNow(name, tls[name])) throw unsupported(`the TLS option ${name}`)
  }
  const options: TlsOptions = {}
  const authorities = [
    ...(tls.cafile ? [resolve(tls.cafile)] : []),
    ...(tls.capath ? filesOf(resolve(tls.capath)) : []),
  ]
  if (authorities.length > 0) options.ca = authorities
  if (tls.certfile) options.cert = resolve(tls.certfile)
  if (tls.keyfile) options.key = resolve(tls.keyfile)
  if (tls.keyfilePassword) options.passphrase = tls.keyfilePassword
  if (tls.crlCheck || tls.crlCheckAll) {
    if (authorities.length === 0)
      throw unsupported('a check of revoked certificates without cafile')
    options.crl = authorities
    options.crlCheck = tls.crlCheckAll ? 'chain' : 'leaf'
  }
  return Object.keys(options).length === 0 ? true : options
}

/** Whether `protocols` allows what is used. */
function isOfNow(name: string, value: unknown): boolean {
  return name === 'protocols' && /^(all|\+?TLSv1\.2)$/.test(String(value).trim())
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => join(folder, entry.name))
}
