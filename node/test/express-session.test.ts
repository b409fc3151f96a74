/** The store for express-session, under Express and by its own methods. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import express from 'express'
import session, { type SessionData } from 'express-session'
import { Client } from 'spikewire'
import { SpikewireStore } from 'spikewire/express-session'
import { Cluster } from 'spikewire/testing'

declare module 'express-session' {
  interface SessionData {
    views?: number
  }
}

let cluster: Cluster
let client: Client

before(async () => {
  cluster = await Cluster.start({ nodes: 2 })
  client = await Client.connect(cluster.seeds, { timeout: 20_000 })
})

after(async () => {
  await client.close()
  await cluster.close()
})

type Callback = (error?: unknown, value?: unknown) => void

/** The outcome of a method that takes a callback. */
function called<T = unknown>(call: (callback: Callback) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value as T)))
  })
}

const data = (views: number, cookie: object = { originalMaxAge: null }) =>
  ({ cookie, views }) as SessionData

/** A service that counts the views of a session. */
async function serve(store: SpikewireStore, cookie: session.CookieOptions) {
  const app = express()
  app.use(session({ store, cookie, secret: 'secret', resave: false, saveUninitialized: false }))
  app.get('/view', (request, response) => {
    request.session.views = (request.session.views ?? 0) + 1
    response.json(request.session.views)
  })
  app.get('/idle', (request, response) => {
    response.json(request.session.views ?? null)
  })
  app.get('/leave', (request, response) => request.session.destroy(() => response.json('left')))
  app.get('/renew', (request, response) => request.session.regenerate(() => response.json('new')))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  /** A browser with one cookie. */
  const browser = () => {
    let cookies = ''
    return async (path: string): Promise<unknown> => {
      const answer = await fetch(`${address}${path}`, { headers: { cookie: cookies } })
      const set = answer.headers.get('set-cookie')
      if (set !== null) cookies = set.split(';')[0] as string
      return answer.json()
    }
  }
  return { browser, close: () => new Promise((resolve) => server.close(resolve)) }
}

test('sessions of a service are kept, renewed, replaced and destroyed', async () => {
  const records = client.dataset('test', 'served')
  const service = await serve(new SpikewireStore(records), { maxAge: 3_000 })
  const [alice, bob] = [service.browser(), service.browser()]
  assert.deepEqual(
    [await alice('/view'), await alice('/view'), await bob('/view'), await bob('/idle')],
    [1, 2, 1, 1],
  )
  const age = async () => {
    const ages: (number | null)[] = []
    for await (const { ttl } of records.query()) ages.push(ttl)
    return ages
  }
  assert.deepEqual(await age(), [3, 3])
  // A request that changes nothing renews the session.
  for (let turn = 0; turn < 4; turn++) {
    await sleep(1_000)
    assert.equal(await alice('/idle'), 2)
  }
  assert.equal(await bob('/idle'), null)
  assert.equal(await alice('/renew'), 'new')
  assert.equal(await alice('/view'), 1)
  assert.equal(await alice('/leave'), 'left')
  assert.equal(await alice('/view'), 1)
  await service.close()
})

test('sessions are read, listed, counted and cleared', async () => {
  const store = new SpikewireStore(client.dataset('test', 'listed'), { ttl: 100 })
  await called((callback) => store.set('a', data(1), callback))
  const expires = new Date(Date.now() + 3_600_000)
  await called((callback) => store.set('b', data(2, { expires, originalMaxAge: 1 }), callback))
  const records = client.dataset('test', 'listed')
  assert.deepEqual([(await records.get('a')).ttl, (await records.get('b')).ttl], [100, 3600])
  assert.equal((await called<SessionData>((callback) => store.get('a', callback))).views, 1)
  assert.equal(await called((callback) => store.get('none', callback)), null)
  const all = await called<{ [id: string]: SessionData }>((callback) => store.all(callback))
  assert.deepEqual(Object.keys(all).sort(), ['a', 'b'])
  assert.equal(all['b']?.views, 2)
  assert.equal(await called((callback) => store.length(callback)), 2)
  await called((callback) => store.destroy('a', callback))
  await called((callback) => store.destroy('a', callback))
  assert.equal(await called((callback) => store.length(callback)), 1)
  await called((callback) => store.clear(callback))
  assert.equal(await called((callback) => store.length(callback)), 0)
})

test('touching renews what is there, and only that', async () => {
  const records = client.dataset('test', 'touched')
  const store = new SpikewireStore(records)
  await called((callback) =>
    store.set('a', data(1, { expires: new Date(Date.now() + 9_000) }), callback),
  )
  assert.equal((await records.get('a')).ttl, 9)
  await called((callback) => store.touch('a', data(1), callback))
  assert.equal((await records.get('a')).ttl, 86_400)
  await called((callback) => store.touch('none', data(1), callback))
  assert.equal(await records.exists('none'), false)
  // A cookie that is over ends the session. Text is what other stores hand over.
  const over = { expires: new Date(Date.now() - 1_000).toISOString() }
  await called((callback) => store.touch('a', data(1, over), callback))
  assert.equal(await records.exists('a'), false)
  await called((callback) => store.set('b', data(1), callback))
  await called((callback) => store.set('b', data(1, over), callback))
  assert.equal(await records.exists('b'), false)
})

test('options are checked, and errors reach the callback', async () => {
  const records = client.dataset('test', 'checked')
  assert.throws(() => new SpikewireStore(client.dataset('test')), /TypeError: .*needs a dataset/)
  assert.throws(() => new SpikewireStore(records, { ttl: 0 }), /RangeError: ttl must be/)
  const serializer = {
    stringify: ({ views }: SessionData) => `views ${views}`,
    parse: (text: string) => data(Number(text.slice(6))),
  }
  const store = new SpikewireStore(records, { serializer })
  await called((callback) => store.set('a', data(7), callback))
  assert.equal((await records.get('a')).bins['session'], 'views 7')
  assert.equal((await called<SessionData>((callback) => store.get('a', callback))).views, 7)
  const broken = new SpikewireStore(records)
  await assert.rejects(
    called((callback) => broken.get('a', callback)),
    SyntaxError,
  )
  const big = data(1)
  Object.assign(big, { text: 'x'.repeat(9_000_000) })
  await assert.rejects(
    called((callback) => broken.set('big', big, callback)),
    { name: 'RecordTooBig' },
  )
})
