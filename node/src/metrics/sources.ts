/** The clients whose metrics are exported, and their labels. */

import { inspect } from 'node:util'
import type { Stats } from '../statistics/stats.js'
import { type Family, families, type Labels } from './families.js'

/** A client or session. */
export interface HasStats {
  /** Whether it is open. */
  readonly isOpen: boolean
  /** Its statistics. */
  stats(): Stats
}

/** A client or session, or several by the value of their label `client`. */
export type Clients = HasStats | { readonly [name: string]: HasStats }

/** Labels used by the metrics themselves. */
const TAKEN = ['operation', 'namespace', 'node', 'result', 'stage', 'set', 'digest', 'le']

/** All clients are closed; the message says so. */
export class NoClientOpen extends Error {
  override readonly name = 'NoClientOpen'
}

/** Clients with their labels. */
export class Sources {
  readonly #all: readonly (readonly [HasStats, Labels])[]

  /**
   * @throws TypeError, RangeError for invalid clients and labels
   */
  constructor(clients: Clients, labels: Labels = {}) {
    const more = checked(labels)
    if (isClient(clients)) {
      this.#all = [[clients, more]]
      return
    }
    if (typeof clients !== 'object' || clients === null) throw noClient(clients)
    if ('client' in more) {
      throw new RangeError("labels: 'client' is set from the names of the clients")
    }
    this.#all = Object.entries(clients).map(([name, client]) => {
      if (!isClient(client)) throw noClient(client)
      return [client, checked({ client: name, ...more })]
    })
  }

  /**
   * The metrics of all clients, each family once. Closed clients are left out.
   *
   * @throws NoClientOpen if none is left
   */
  families(): Family[] {
    const merged = new Map<string, Family>()
    for (const [client, labels] of this.#all) {
      if (!client.isOpen) continue
      for (const family of families(client.stats())) {
        const samples = family.samples.map((sample) => ({
          ...sample,
          labels: { ...labels, ...sample.labels },
        }))
        const known = merged.get(family.name)
        if (known === undefined) merged.set(family.name, { ...family, samples })
        else known.samples.push(...samples)
      }
    }
    if (merged.size === 0 && this.#all.length > 0) {
      throw new NoClientOpen(this.#all.length === 1 ? 'the client is closed' : 'all are closed')
    }
    return [...merged.values()]
  }
}

function isClient(candidate: unknown): candidate is HasStats {
  const client = candidate as Partial<HasStats> | null | undefined
  return typeof client?.stats === 'function' && typeof client.isOpen === 'boolean'
}

function noClient(candidate: unknown): TypeError {
  return new TypeError(
    `metrics are exported for a client or session, not for ${inspect(candidate)}`,
  )
}

function checked(labels: unknown): Labels {
  if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) {
    throw new TypeError(`labels must be an object of names and values, not ${inspect(labels)}`)
  }
  for (const [name, value] of Object.entries(labels)) {
    if (typeof value !== 'string') {
      throw new TypeError(`labels: ${name} must be a string, not ${inspect(value)}`)
    }
    if (!/^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) {
      throw new RangeError(`labels: ${inspect(name)} is not a valid label name`)
    }
    if (TAKEN.includes(name)) {
      throw new RangeError(`labels: ${inspect(name)} is one of the metrics' own labels`)
    }
  }
  return { ...labels } as Labels
}
