/** An undecodable value is an error of its own row. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { Client, ProtocolError } from 'spikewire'
import { Cluster } from 'spikewire/testing'

/** The string in a list whose encoding is corrupted. */
const MARK = 'spoil me'
const MARKED = Buffer.concat([Buffer.from([0xa0 | (MARK.length + 1), 3]), Buffer.from(MARK)])
/** A byte with which no list starts. */
const NOTHING = 0xc1

/** A relay that corrupts the marked lists. */
async function spoiler(address: string) {
  const [host, port] = address.split(':') as [string, string]
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const node = connect(Number(port), host)
    for (const [from, to] of [
      [client, node],
      [node, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
      from.on('data', (data: Buffer) => {
        const at = from === node ? data.indexOf(MARKED) : -1
        if (at > 0) data[at - 1] = NOTHING
        to.write(data)
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

test('an undecodable value fails its row and no other', async () => {
  const cluster = await Cluster.start({ nodes: 1 })
  const [node] = cluster.addresses as [string]
  const proxy = await spoiler(node)
  const options = { timeout: 30_000, ipMap: { [node]: proxy.address } }
  const client = await Client.connect(proxy.address, options)
  try {
    const data = client.dataset('test', 'unreadable')
    const list = (n: number) => (n === 2 ? [MARK] : [n])
    const records = [1, 2, 3, 4].map((n) => [n, { a: n, l: list(n) }] as const)
    await data.putMany(records).then((written) => written.raiseForErrors())
    await assert.rejects(data.get(2), ProtocolError)
    const batch = await data.getMany([1, 2, 3, 4])
    assert.deepEqual([...batch.errors.keys()], [1])
    const error = batch.errors.get(1)
    assert.ok(error instanceof ProtocolError)
    assert.deepEqual([error.key?.key, error.attempts, batch.codes[1]], [2, 1, error.code])
    assert.throws(() => batch[1], ProtocolError)
    for (const row of [0, 2, 3]) {
      assert.deepEqual(batch[row]?.bins, { a: row + 1, l: [row + 1] })
      assert.equal(batch[row]?.key.key, row + 1)
    }
    assert.deepEqual([batch.codes[0], batch.codes[3], batch.found], [0, 0, 3])
    // The record's other bins can be read.
    assert.deepEqual((await data.getMany([2], { bins: ['a'] }))[0]?.bins, { a: 2 })
  } finally {
    await client.close()
    proxy.close()
    await cluster.close()
  }
})
