/** The ring of tokens, and which nodes have the replicas of each. */

import type { Host } from '../hosts.js'
import { type Token, type Tokenizer, TokenRange } from '../token.js'

/** Replication of a keyspace. */
export interface Replication {
  strategy: string | undefined
  strategyOptions: { [name: string]: string } | undefined
}

/** The tokens of all nodes. */
export class Ring {
  readonly tokenizer: Tokenizer
  /** In order. */
  readonly tokens: readonly Token[]
  /** The owners of the tokens. */
  readonly #owners: readonly Host[]
  readonly ranges: ReadonlySet<TokenRange>
  readonly #replicas = new Map<string, Host[][]>()

  constructor(tokenizer: Tokenizer, hosts: readonly Host[]) {
    this.tokenizer = tokenizer
    const all: [Token, Host][] = hosts.flatMap((host) =>
      (host.tokens ?? []).map((text): [Token, Host] => [tokenizer.parse(text), host]),
    )
    all.sort(([one], [two]) => one.compare(two))
    this.tokens = all.map(([token]) => token)
    this.#owners = all.map(([, host]) => host)
    this.ranges = new Set(this.#rangesOf())
  }

  #rangesOf(): TokenRange[] {
    const { tokens, tokenizer } = this
    if (tokens.length === 1) {
      const least = tokenizer.minToken()
      return [new TokenRange(least, least, tokenizer)]
    }
    return tokens.map(
      (start, at) => new TokenRange(start, tokens[(at + 1) % tokens.length] as Token, tokenizer),
    )
  }

  /** The index of the token that owns another. */
  #at(token: Token): number {
    let [from, to] = [0, this.tokens.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((this.tokens[middle] as Token).compare(token) < 0) from = middle + 1
      else to = middle
    }
    return from === this.tokens.length ? 0 : from
  }

  /** The nodes with the replicas of a token; of the owner only without a replication. */
  replicas(token: Token, keyspace: Replication | undefined): Host[] {
    const at = this.#at(token)
    if (keyspace === undefined) return [this.#owners[at] as Host]
    const name = `${keyspace.strategy} ${JSON.stringify(keyspace.strategyOptions ?? {})}`
    let known = this.#replicas.get(name)
    if (known === undefined) {
      known = this.tokens.map((_, from) => this.#replicasFrom(from, keyspace))
      this.#replicas.set(name, known)
    }
    return known[at] as Host[]
  }

  #replicasFrom(from: number, { strategy, strategyOptions = {} }: Replication): Host[] {
    if (strategy?.endsWith('NetworkTopologyStrategy')) return this.#network(from, strategyOptions)
    const factor = Number.parseInt(strategyOptions['replication_factor'] ?? '1', 10)
    const count = strategy?.endsWith('SimpleStrategy') ? factor : 1
    const result: Host[] = []
    for (const host of this.#ownersFrom(from)) {
      if (result.length >= count) break
      if (!result.includes(host)) result.push(host)
    }
    return result
  }

  *#ownersFrom(from: number): Generator<Host> {
    for (let step = 0; step < this.#owners.length; step++) {
      yield this.#owners[(from + step) % this.#owners.length] as Host
    }
  }

  /** As many replicas per datacenter as its factor says, on different racks as far as possible. */
  #network(from: number, factors: { [datacenter: string]: string }): Host[] {
    const all = [...new Set(this.#owners)]
    const counts = new Map<string, number>()
    for (const [datacenter, factor] of Object.entries(factors)) {
      const hosts = all.filter((host) => host.datacenter === datacenter)
      counts.set(datacenter, Math.min(Number.parseInt(factor, 10) || 0, hosts.length))
    }
    const chosen = new Map<string, { hosts: Host[]; racks: Set<string>; skipped: Host[] }>()
    const result: Host[] = []
    for (const host of this.#ownersFrom(from)) {
      const { datacenter, rack } = host
      const most = counts.get(datacenter) ?? 0
      const state = chosen.get(datacenter) ?? { hosts: [], racks: new Set(), skipped: [] }
      chosen.set(datacenter, state)
      if (state.hosts.length >= most || result.includes(host)) continue
      const racks = new Set(all.filter((it) => it.datacenter === datacenter).map((it) => it.rack))
      if (state.racks.has(rack) && state.racks.size < racks.size) {
        if (!state.skipped.includes(host)) state.skipped.push(host)
        continue
      }
      const add = (it: Host) => {
        state.hosts.push(it)
        result.push(it)
      }
      add(host)
      state.racks.add(rack)
      if (state.racks.size === racks.size) {
        while (state.hosts.length < most && state.skipped.length > 0) {
          add(state.skipped.shift() as Host)
        }
      }
    }
    return result
  }
}
