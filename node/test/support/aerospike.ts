/** npm `aerospike`, for comparison. */

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { PACKAGE } from './programs.js'

const FOLDER = join(PACKAGE, 'peers/node_modules/aerospike')

/** Why npm `aerospike` is unavailable; `false` if it is available. */
export const withoutAerospike: string | false = reason()

function reason(): string | false {
  if (!existsSync(FOLDER)) return 'npm aerospike is not installed: make node-peers'
  try {
    createRequire(import.meta.url)(FOLDER)
    return false
  } catch (error) {
    return `npm aerospike does not load here: ${(error as Error).message.split('\n')[0]}`
  }
}

/** The module. It has no types that hold for what tests do with it. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export const aerospike = (): any => createRequire(import.meta.url)(FOLDER)

/** Connects a client, with further policies besides timeouts. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export function connectAerospike(seeds: string, more: object = {}): Promise<any> {
  const [addr, port] = seeds.split(',')[0]?.split(':') ?? []
  const policies = Object.fromEntries(
    ['read', 'write', 'operate', 'remove', 'batch'].map((name) => [name, { totalTimeout: 20_000 }]),
  )
  return aerospike().connect({
    hosts: [{ addr, port: Number(port) }],
    log: { level: aerospike().log.OFF },
    policies: { ...policies, ...more },
  })
}
