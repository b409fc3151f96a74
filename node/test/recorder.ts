/** A relay in front of a node that records requests about records. */

import { type AddressInfo, connect, createServer, type Server } from 'node:net'

/** The protocol's type number of messages about records. */
const RECORDS = 3
const HEADER = 8

/** A relay in front of a node. */
export class Recorder {
  /** The requests, in order of arrival. */
  requests: Buffer[] = []
  readonly #server: Server

  private constructor(seeds: string) {
    const [host, port] = seeds.split(':')
    this.#server = createServer((client) => {
      const node = connect(Number(port), host)
      let held: Buffer = Buffer.alloc(0)
      client.on('data', (data) => {
        node.write(data)
        held = this.#take(Buffer.concat([held, data as Buffer]))
      })
      node.on('data', (data) => client.write(data))
      for (const [one, other] of [
        [client, node],
        [node, client],
      ] as const) {
        one.on('error', () => other.destroy())
        one.on('close', () => other.destroy())
      }
    })
  }

  /** Starts a relay in front of the node at this address. */
  static async start(seeds: string): Promise<Recorder> {
    const recorder = new Recorder(seeds)
    await new Promise<void>((ready) => recorder.#server.listen(0, '127.0.0.1', ready))
    return recorder
  }

  /** The relay's address. */
  get seeds(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Stops accepting connections; existing ones continue. */
  close(): void {
    this.#server.close()
  }

  #take(bytes: Buffer): Buffer {
    while (bytes.length >= HEADER) {
      const end = HEADER + bytes.readUIntBE(2, 6)
      if (bytes.length < end) break
      if (bytes[1] === RECORDS) this.requests.push(bytes.subarray(HEADER, end))
      bytes = bytes.subarray(end)
    }
    return bytes
  }
}
