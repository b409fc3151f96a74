/** Metrics over HTTP. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkOptions } from '../options/check.js'
import { CONTENT_TYPE, type ExportOptions, sourcesOf, textOf } from './exposition.js'
import { type Clients, NoClientOpen } from './sources.js'

/** Options of `startMetricsServer`. */
export interface MetricsServerOptions extends ExportOptions {
  /** The port; 0: any free one. Default: 0. */
  port?: number | undefined
  /** The address to listen on. Default: `'127.0.0.1'`, so only programs on this machine. */
  host?: string | undefined
  /** Whether the server keeps the process alive. Default: false. */
  keepAlive?: boolean | undefined
}

/** Answers a request. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * A function for `http.createServer`, or for a route of Express and the like, that answers every
 * request with `prometheus(client)`; with status 503 if the client is closed.
 *
 * @throws TypeError, RangeError for invalid clients and labels
 */
export function requestListener(client: Clients, options?: ExportOptions): RequestListener {
  const sources = sourcesOf(client, options)
  return (_, response) => {
    let [status, text] = [200, '']
    try {
      text = textOf(sources)
    } catch (error) {
      if (!(error instanceof NoClientOpen)) throw error
      ;[status, text] = [503, `# ${error.message}\n`]
    }
    const headers = { 'Content-Type': CONTENT_TYPE, 'Content-Length': Buffer.byteLength(text) }
    response.writeHead(status, headers).end(text)
  }
}

/** A server of metrics, from `startMetricsServer`. */
export class MetricsServer {
  readonly #server: Server
  /** The address of the metrics: `http://127.0.0.1:9464/metrics`. */
  readonly url: string
  /** For `await using server = await startMetricsServer(client)`, if the runtime supports it. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>

  /** @internal */
  constructor(server: Server) {
    this.#server = server
    const { address, family, port } = server.address() as AddressInfo
    this.url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/metrics`
  }

  /** The port that it listens on. */
  get port(): number {
    return Number(new URL(this.url).port)
  }

  /** Stops listening, and closes all connections. Closing again is harmless. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }
}

if (Symbol.asyncDispose !== undefined) {
  Object.defineProperty(MetricsServer.prototype, Symbol.asyncDispose, {
    value: MetricsServer.prototype.close,
    configurable: true,
    writable: true,
  })
}

/**
 * Serves `prometheus(client)` at `/metrics`, until it is closed or the process ends, which it does
 * not keep alive.
 *
 * @throws Error with the system's `code`, such as `'EADDRINUSE'`, if it cannot listen; TypeError,
 * RangeError for invalid clients and options
 */
export async function startMetricsServer(
  client: Clients,
  options?: MetricsServerOptions,
): Promise<MetricsServer> {
  checkOptions(options, ['labels', 'port', 'host', 'keepAlive'])
  const { port = 0, host = '127.0.0.1', keepAlive = false, ...rest } = options ?? {}
  if (typeof host !== 'string') throw new TypeError(`host must be a string, not ${typeof host}`)
  if (typeof keepAlive !== 'boolean') {
    throw new TypeError(`keepAlive must be boolean, not ${typeof keepAlive}`)
  }
  const answer = requestListener(client, rest)
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0]
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (path === '/metrics' && isRead) return answer(request, response)
    response.writeHead(path === '/metrics' ? 405 : 404).end()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  if (!keepAlive) {
    server.unref()
    server.on('connection', (socket) => socket.unref())
  }
  return new MetricsServer(server)
}
