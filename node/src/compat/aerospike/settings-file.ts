/** The file of `configProvider`: settings that come before those of the program. */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Config } from './config.js'
import * as enums from './enums.js'
import { AerospikeError, invalid } from './error.js'
import type { ConfigPolicies } from './policy.js'
import { indentedText } from './settings-text.js'

/** Fields of policies by kind of call. */
export type PolicyFields = {
  [K in keyof ConfigPolicies]?: { readonly [field: string]: unknown }
}

/** What a file says. */
export interface FileSettings {
  readonly policies: PolicyFields
  /** Whether metrics are enabled; `undefined`: the program decides. */
  readonly metrics: boolean | undefined
}

/** Where a file is, and how often it is read, in milliseconds. */
export interface SettingsFile {
  readonly path: string
  readonly interval: number
}

const VARIABLE = 'AEROSPIKE_CLIENT_CONFIG_URL'
const INTERVAL = 60_000
const TEND = 1000

const LIMITS = ['socket_timeout', 'total_timeout', 'timeout_delay', 'max_retries', 'replica']
const MODES = ['read_mode_ap', 'read_mode_sc']
const ROWS = ['durable_delete', 'send_key']
const BATCH = [...LIMITS, 'allow_inline', 'allow_inline_ssd', 'respond_all_keys', 'concurrent']
/** The entries of sections, and the policies that have them. */
const SECTIONS: {
  readonly [section: string]: readonly [entries: string[], kinds: (keyof ConfigPolicies)[]]
} = {
  read: [[...LIMITS, ...MODES], ['read']],
  write: [
    [...LIMITS, ...ROWS],
    ['write', 'operate', 'apply', 'remove'],
  ],
  query: [[...LIMITS, 'expected_duration'], ['query']],
  scan: [LIMITS, ['scan']],
  batch_read: [[...BATCH, ...MODES], ['batch']],
  batch_write: [
    [...BATCH, ...ROWS],
    ['batchParentWrite', 'batchWrite'],
  ],
  batch_udf: [ROWS, ['batchApply']],
  batch_delete: [ROWS, ['batchRemove']],
  txn_roll: [BATCH, ['txnRoll']],
  txn_verify: [BATCH, ['txnVerify']],
}
const WORDS: { readonly [entry: string]: { readonly [word: string]: number } } = {
  replica: { ...enums.replica, MASTER_PROLES: enums.replica.ANY },
  read_mode_ap: enums.readModeAP,
  read_mode_sc: enums.readModeSC,
  expected_duration: enums.queryDuration,
}

/** The file of a configuration, or of the environment; `undefined` if there is none. */
export function settingsFile(config: Config): SettingsFile | undefined {
  const { path, interval } = (config.configProvider ?? {}) as { path?: unknown; interval?: unknown }
  if (path !== undefined && typeof path !== 'string') throw invalid('Invalid client configuration')
  if (interval !== undefined && typeof interval !== 'number') {
    throw invalid('Invalid client configuration')
  }
  const from = process.env[VARIABLE] || path
  if (!from) return undefined
  const every = Math.trunc(interval ?? INTERVAL)
  const tend = config.tenderInterval ?? TEND
  if (every < tend) {
    throw new AerospikeError(
      `Dynamic config interval ${every} must be greater or equal to the tend interval ${tend}`,
    )
  }
  return { path: from.startsWith('file:') ? fileURLToPath(from) : from, interval: every }
}

/** Reads a file. A mistake is a warning, and `undefined` is returned: earlier settings stay. */
export function readSettings({ path }: SettingsFile): FileSettings | undefined {
  try {
    return settingsOf(indentedText(readFileSync(path, 'utf8')))
  } catch (error) {
    process.emitWarning(`settings in ${path} are not used: ${(error as Error).message}`)
    return undefined
  }
}

function settingsOf(document: { readonly [part: string]: unknown }): FileSettings {
  const policies: { [kind: string]: { [field: string]: unknown } } = {}
  let metrics: boolean | undefined
  const dynamic = (document['dynamic'] ?? {}) as { [section: string]: { [entry: string]: unknown } }
  for (const [section, entries] of Object.entries(dynamic)) {
    if (typeof entries !== 'object' || entries === null) continue
    if (section === 'metrics') {
      if (entries['enable'] !== undefined) metrics = flag('metrics.enable', entries['enable'])
      continue
    }
    const known = SECTIONS[section]
    for (const [entry, value] of Object.entries(entries)) {
      if (!known?.[0].includes(entry)) {
        process.emitWarning(`the setting dynamic.${section}.${entry} has no effect`)
        continue
      }
      const [field, converted] = fieldOf(entry, value)
      for (const kind of known[1]) policies[kind] = { ...policies[kind], [field]: converted }
    }
  }
  return { policies, metrics }
}

/** The field of policies for an entry of a file. */
function fieldOf(entry: string, value: unknown): [field: string, value: unknown] {
  const words = WORDS[entry]
  if (words !== undefined) {
    if (!Object.hasOwn(words, String(value))) throw new Error(`${entry} has no value ${value}`)
    return [camel(entry), words[String(value)]]
  }
  if (entry === 'send_key') return ['key', flag(entry, value) ? enums.key.SEND : enums.key.DIGEST]
  const isFlag = ['durable_delete', 'respond_all_keys', 'concurrent'].includes(entry)
  if (isFlag || entry.startsWith('allow_inline')) return [camel(entry), flag(entry, value)]
  if (typeof value !== 'number' || value < 0) throw new Error(`${entry} must be a whole number`)
  return [camel(entry), value]
}

function flag(entry: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new Error(`${entry} must be true or false`)
  return value
}

function camel(entry: string): string {
  const name = entry.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return name.replace(/(Ap|Sc|Ssd)$/, (end) => end.toUpperCase())
}
