/** Addresses of nodes. */

import type { Host } from './types.js'

const HOST =
  /^(\[[0-9a-f:]+\]|\d{1,3}(?:\.\d{1,3}){3}|[a-z][a-z0-9.-]+)(?::([a-z][a-z0-9.-]+))?(?::(\d+))?$/i
const PORT = 3000

/**
 * The parts of an address: `host`, `host:port`, or `host:tlsname:port`.
 *
 * @throws Error for text that is none
 */
export function parseHostString(text: string): Host {
  const [, address, tlsname, port] = HOST.exec(text) ?? []
  if (address === undefined) throw new Error(`Invalid host address: ${text}`)
  const host: Host = { addr: address.replace(/^\[(.*)\]$/, '$1') }
  if (tlsname !== undefined) host.tlsname = tlsname
  host.port = port === undefined ? PORT : Number(port)
  return host
}

/** The seeds of a configuration, as the engine takes them. */
export function seedsOf(hosts: string | readonly Host[], port: number): string[] {
  const list =
    typeof hosts === 'string'
      ? hosts.split(',').map((host) => ({ port, ...withPort(host.trim(), port) }))
      : hosts
  return list.map((host) => {
    const addr = host.addr.includes(':') ? `[${host.addr}]` : host.addr
    const name = host.tlsname ? `${host.tlsname}:` : ''
    return `${addr}:${name}${host.port ?? port}`
  })
}

function withPort(text: string, port: number): Host {
  const host = parseHostString(text)
  return /:\d+$/.test(text) ? host : { ...host, port }
}
