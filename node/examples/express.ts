/**
 * A shop under Express: carts in sessions, which are records, and prices in a set.
 *
 * One client serves all requests. When the process is asked to end, the server answers the requests
 * that it has, and then the client is closed.
 */

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler, type Express } from 'express'
import session from 'express-session'
import { Client, SpikewireError } from 'spikewire'
import { SpikewireStore } from 'spikewire/express-session'
import { withCluster } from './seeds.js'

declare module 'express-session' {
  interface SessionData {
    cart?: string[]
  }
}

interface Price {
  euro: number
}

/** What the cluster cannot do right now is 503: others may answer the next request. */
const onError: ErrorRequestHandler = (error, _request, response, next) => {
  if (!(error instanceof SpikewireError)) return next(error)
  response.status(503).json({ error: error.name })
}

function shop(client: Client): Express {
  const prices = client.dataset<Price>('test', 'prices')
  const app = express()
  app.use(
    session({
      store: new SpikewireStore(client.dataset('test', 'sessions')),
      secret: 'of this example',
      cookie: { maxAge: 3_600_000 },
      resave: false,
      saveUninitialized: false,
    }),
  )

  app.put('/prices/:item', express.json(), async (request, response) => {
    await prices.put(request.params['item'] as string, { euro: Number(request.body.euro) })
    response.status(204).end()
  })
  app.post('/cart/:item', (request, response) => {
    request.session.cart = [...(request.session.cart ?? []), request.params.item]
    response.json(request.session.cart)
  })
  // All prices in one batch.
  app.get('/cart', async (request, response) => {
    const cart = request.session.cart ?? []
    const records = await prices.getMany(cart)
    const euro = [...records].reduce((sum, record) => sum + (record?.bins.euro ?? 0), 0)
    response.json({ cart, euro })
  })
  app.use(onError)
  return app
}

await withCluster(async (seeds) => {
  await using client = await Client.connect(seeds, { timeout: 500 })
  const server = shop(client).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const headers = { 'content-type': 'application/json' }
  for (const [item, euro] of Object.entries({ tea: 3, milk: 2 })) {
    const body = JSON.stringify({ euro })
    await fetch(`${address}/prices/${item}`, { method: 'PUT', headers, body })
  }
  const first = await fetch(`${address}/cart/tea`, { method: 'POST' })
  const cookie = first.headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; ')
  await fetch(`${address}/cart/milk`, { method: 'POST', headers: { cookie } })
  console.log(await (await fetch(`${address}/cart`, { headers: { cookie } })).text())
  console.log(await (await fetch(`${address}/cart`)).text())

  await new Promise((resolve) => server.close(resolve))
})
