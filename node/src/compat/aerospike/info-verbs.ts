/** The verbs that ask nodes for information. */

import { lookup } from 'node:dns/promises'
import { BatchVerbs } from './batch.js'
import { type Callback, partInvalid, runAsync } from './command.js'
import { AerospikeError } from './error.js'
import { parseHostString } from './hosts.js'
import type { InfoPolicyOptions } from './policies.js'
import { type AnyPolicy, numberOf } from './policy-options.js'
import { status } from './status.js'
import type { Host, Node } from './types.js'

/** A policy of a call, or its callback. */
type Or<P, T> = P | Callback<T> | null | undefined

/** A node's answer to an info command. */
export interface InfoAllResponse {
  host: { node_id: string }
  info: string
}

/** What a node is asked for if a program asks for everything. */
const EVERYTHING = [
  ...['node', 'build', 'edition', 'version', 'features', 'namespaces', 'statistics'],
  ...['cluster-name', 'partition-generation', 'services', 'status'],
]

/** The verbs that ask nodes for information. */
export abstract class InfoVerbs extends BatchVerbs {
  /** The answer of the node at an address to an info command. */
  info(
    request: string | null | undefined,
    host: Host | string,
    policy?: InfoPolicyOptions | null,
  ): Promise<string>
  info(request: string | null | undefined, host: Host | string, callback: Callback<string>): void
  info(
    request: string | null | undefined,
    host: Host | string,
    policy: InfoPolicyOptions | null | undefined,
    callback: Callback<string>,
  ): void
  info(
    request: string | null | undefined,
    host: Host | string,
    policy?: Or<InfoPolicyOptions, string>,
    callback?: Callback<string>,
  ): Promise<string> | undefined {
    if (typeof policy === 'function') return this.info(request, host, null, policy) as undefined
    const at = typeof host === 'string' ? parseHostString(host) : host
    return runAsync(this, 'InfoHost', callback, async () => {
      const timeout = infoTimeout(policy, this.config.policies.info)
      const addresses = await addressesOf(at, this.config.port)
      const node = this.getNodes().find(({ address }) => addresses.includes(address))
      if (node === undefined)
        throw failure(`no node has the address ${addresses.join()}`, 'ERR_INVALID_NODE')
      return this.#ask(request, node.name, timeout)
    })
  }

  /** The answer of any node to an info command. */
  infoAny(request?: string | null, policy?: InfoPolicyOptions | null): Promise<string>
  infoAny(callback: Callback<string>): void
  infoAny(request: string | null | undefined, callback: Callback<string>): void
  infoAny(
    request: string | null | undefined,
    policy: InfoPolicyOptions | null | undefined,
    callback: Callback<string>,
  ): void
  infoAny(
    request?: string | null | Callback<string>,
    policy?: Or<InfoPolicyOptions, string>,
    callback?: Callback<string>,
  ): Promise<string> | undefined {
    if (typeof request === 'function') return this.infoAny(null, null, request) as undefined
    if (typeof policy === 'function') return this.infoAny(request, null, policy) as undefined
    return runAsync(this, 'InfoAny', callback, () =>
      this.#ask(request, undefined, infoTimeout(policy, this.config.policies.info)),
    )
  }

  /** The answer of a node to an info command. */
  infoNode(
    request: string | null | undefined,
    node: Pick<Node, 'name'>,
    policy?: InfoPolicyOptions | null,
  ): Promise<string>
  infoNode(
    request: string | null | undefined,
    node: Pick<Node, 'name'>,
    callback: Callback<string>,
  ): void
  infoNode(
    request: string | null | undefined,
    node: Pick<Node, 'name'>,
    policy: InfoPolicyOptions | null | undefined,
    callback: Callback<string>,
  ): void
  infoNode(
    request: string | null | undefined,
    node: Pick<Node, 'name'>,
    policy?: Or<InfoPolicyOptions, string>,
    callback?: Callback<string>,
  ): Promise<string> | undefined {
    if (typeof policy === 'function') return this.infoNode(request, node, null, policy) as undefined
    const { name } = node
    return runAsync(this, 'InfoNode', callback, () =>
      this.#ask(request, name, infoTimeout(policy, this.config.policies.info)),
    )
  }

  /** The answers of all nodes to an info command. */
  infoAll(request?: string | null, policy?: InfoPolicyOptions | null): Promise<InfoAllResponse[]>
  infoAll(callback: Callback<InfoAllResponse[]>): void
  infoAll(request: string | null | undefined, callback: Callback<InfoAllResponse[]>): void
  infoAll(
    request: string | null | undefined,
    policy: InfoPolicyOptions | null | undefined,
    callback: Callback<InfoAllResponse[]>,
  ): void
  infoAll(
    request?: string | null | Callback<InfoAllResponse[]>,
    policy?: Or<InfoPolicyOptions, InfoAllResponse[]>,
    callback?: Callback<InfoAllResponse[]>,
  ): Promise<InfoAllResponse[]> | undefined {
    if (typeof request === 'function') return this.infoAll(null, null, request) as undefined
    if (typeof policy === 'function') return this.infoAll(request, null, policy) as undefined
    return runAsync(this, 'InfoForeach', callback, async () => {
      const timeout = infoTimeout(policy, this.config.policies.info)
      const replies = this.getNodes().map(async ({ name }) => ({
        host: { node_id: name },
        info: await this.#ask(request, name, timeout),
      }))
      return Promise.all(replies)
    })
  }

  /** Asks a node for each line of a request; the answer has a line for each: name, tab, value. */
  async #ask(
    request: string | null | undefined,
    node: string | undefined,
    timeout: number,
  ): Promise<string> {
    const lines = request ? request.split('\n').filter((line) => line !== '') : EVERYTHING
    const signal = timeout > 0 ? AbortSignal.timeout(timeout) : undefined
    const where = node ?? this.getNodes()[0]?.name
    try {
      const answers = await Promise.all(
        lines.map((line) => this.native.info(line, { node: where, signal })),
      )
      return lines.map((line, at) => `${line}\t${answers[at]}\n`).join('')
    } catch (error) {
      if (signal?.aborted && error === signal.reason) {
        throw failure(status.getMessage(status.ERR_TIMEOUT), 'ERR_TIMEOUT')
      }
      throw error
    }
  }
}

/** The addresses of a host, with its port. */
async function addressesOf(host: Host, port: number): Promise<string[]> {
  const records = await lookup(host.addr, { all: true }).catch(() => [])
  const all = [host.addr, ...records.map(({ address }) => address)]
  return all.map((each) => {
    const addr = each.includes(':') ? `[${each}]` : each
    return `${addr}:${host.port ?? port}`
  })
}

/** The time limit of a policy, in milliseconds. */
export function infoTimeout(...policies: (object | null | undefined)[]): number {
  for (const policy of policies) {
    if (policy === undefined || policy === null) continue
    try {
      const timeout = numberOf(policy as AnyPolicy, 'timeout')
      if (timeout !== undefined) return timeout
    } catch (error) {
      throw partInvalid('Policy parameter', error)
    }
  }
  return 1000
}

/** An error of the client. */
export function failure(message: string, code: 'ERR_TIMEOUT' | 'ERR_CLIENT' | 'ERR_INVALID_NODE') {
  const error = new AerospikeError(message)
  error.code = status[code]
  return error
}
