/**
 * A route handler for Next.js, `app/prices/[item]/route.ts`: functions of a standard `Request`.
 *
 * Next.js evaluates modules anew while one develops, and in each of its servers; the client is kept
 * with the process, so that there is one however often that happens. `spikewire` belongs into
 * `serverExternalPackages` of `next.config.js`, because it has a native part, and the route runs on
 * Node.js, not on the edge.
 */

import { Client, Timeout } from 'spikewire'
import { withCluster } from './seeds.js'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

interface Price {
  euro: number
}

/** What Next.js passes besides the request. */
interface Context {
  params: Promise<{ item: string }>
}

const shared = globalThis as { spikewire?: Promise<Client> | undefined }

/** The client of this process. A failure to connect is not shared. */
function connected(): Promise<Client> {
  shared.spikewire ??= Client.connect(process.env['SPIKEWIRE_SEEDS'] ?? '127.0.0.1:3000', {
    timeout: 500,
  }).catch((error) => {
    shared.spikewire = undefined
    throw error
  })
  return shared.spikewire
}

export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { item } = await params
  const prices = (await connected()).dataset<Price>('test', 'prices')
  try {
    // A request that the browser gives up is given up here, too.
    const record = await prices.get(item, { default: null, signal: request.signal })
    if (record === null) return Response.json({ error: `no ${item}` }, { status: 404 })
    return Response.json(record.bins)
  } catch (error) {
    if (error instanceof Timeout) return Response.json({ error: 'try again' }, { status: 503 })
    throw error
  }
}

export async function PUT(request: Request, { params }: Context): Promise<Response> {
  const { item } = await params
  const { euro } = (await request.json()) as Price
  await (await connected()).dataset<Price>('test', 'prices').put(item, { euro })
  return Response.json({ euro })
}

// What follows is in the place of Next.js.
await withCluster(async (seeds) => {
  process.env['SPIKEWIRE_SEEDS'] = seeds
  const of = (item: string): Context => ({ params: Promise.resolve({ item }) })
  const url = (item: string) => `http://shop/prices/${item}`
  const change = new Request(url('tea'), { method: 'PUT', body: '{"euro":3}' })
  console.log((await PUT(change, of('tea'))).status)
  for (const item of ['tea', 'gold']) {
    const answer = await GET(new Request(url(item)), of(item))
    console.log(answer.status, await answer.text())
  }
  await (await connected()).close()
})
