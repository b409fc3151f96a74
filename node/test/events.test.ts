/** Events about nodes. */

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, ClientClosed, type Event } from 'spikewire'
import { connect } from 'spikewire/cql'
import { Cluster } from 'spikewire/testing'
import { AT, withoutCassandra } from './support/cassandra.js'
import { proxied } from './support/cassandra-helper.js'

const WITHIN = 60_000

async function until(what: string, holds: () => boolean): Promise<void> {
  const ends = performance.now() + WITHIN
  while (!holds()) {
    assert.ok(performance.now() < ends, `still waiting: ${what}`)
    await sleep(5)
  }
}

test('listeners are told of nodes that go and come back', async () => {
  const cluster = await Cluster.start({ nodes: 2 })
  const client = await Client.connect(cluster.seeds, { tendInterval: 100 })
  const [first, second]: Event[][] = [[], []]
  const endFirst = client.onEvent((event) => first?.push(event))
  const endSecond = client.onEvent((event) => second?.push(event))
  const names = client.nodes.map(({ name }) => name)
  await cluster.kill(1)
  const is = (type: string) => (event: Event) => event.type === type
  await until('the loss', () => first?.some(is('nodeDown')) === true)
  const lost = first?.find(is('nodeDown'))?.node
  assert.ok(names.some((name) => lost?.includes(name)))
  assert.deepEqual(second?.filter(is('nodeDown')), first?.filter(is('nodeDown')))
  endFirst()
  endFirst()
  const seen = first?.length
  await cluster.restart(1)
  await until('the return', () => second?.some(is('nodeUp')) === true)
  assert.equal(first?.length, seen)
  endSecond()
  await client.close()
  await cluster.close()
  assert.throws(() => client.onEvent(() => undefined), ClientClosed)
})

test('listeners must be functions', async () => {
  const cluster = await Cluster.start()
  const client = await Client.connect(cluster.seeds)
  assert.throws(() => client.onEvent('down' as never), /listener must be a function of an event/)
  // One that nobody ends keeps no process alive, and is no obstacle to closing.
  client.onEvent(() => undefined)
  await client.close()
  await cluster.close()
})

test('sessions tell of their nodes, too', {
  skip: withoutCassandra,
}, async (context: TestContext) => {
  const proxy = await proxied(context)
  const addressMap = { [AT.split(',')[0]?.split(':')[0] as string]: proxy.address }
  const options = { addressMap, timeout: WITHIN, reconnect: [100, 200] as [number, number] }
  await using session = await connect(proxy.address, options)
  const events: Event[] = []
  session.onEvent((event) => events.push(event))
  await proxy.refuse('port')
  await proxy.cut()
  await until('the loss', () => events.some(({ type }) => type === 'nodeDown'))
  assert.equal(events.find(({ type }) => type === 'nodeDown')?.node, proxy.address)
  await proxy.refuse('never')
  await until('the return', () => events.some(({ type }) => type === 'nodeUp'))
})
