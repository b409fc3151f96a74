// The users of the serving study for those who have k6: each sends its next request when it has the
// reply to the last. docs/benchmarks-published.md says how to start the service.
//
//   k6 run -e SERVICES=http://127.0.0.1:8001,http://127.0.0.1:8002 -e DUE=0 features.js
//
// | variable | meaning |
// |---|---|
// | SERVICES | addresses of the replicas; a user keeps the one that its number gives it |
// | USERS, SECONDS | users and seconds; default: 10 and 60 |
// | DUE | requests due each second, whether replies have come or not; default: 0, users wait |
import http from 'k6/http'
import { check } from 'k6'

const services = (__ENV.SERVICES || 'http://127.0.0.1:8000').split(',')
const users = Number(__ENV.USERS || 10)
const seconds = Number(__ENV.SECONDS || 60)
const due = Number(__ENV.DUE || 0)

// As many different requests as the service knows; others are the same again.
const REQUESTS = 256

const closed = { executor: 'constant-vus', vus: users, duration: `${seconds}s` }
const open = {
  executor: 'constant-arrival-rate',
  rate: due,
  timeUnit: '1s',
  duration: `${seconds}s`,
  preAllocatedVUs: users,
  maxVUs: users * 20,
}

export const options = {
  scenarios: { features: due > 0 ? open : closed },
  summaryTrendStats: ['avg', 'min', 'med', 'p(90)', 'p(95)', 'p(99)', 'max', 'count'],
  thresholds: { checks: ['rate==1'] },
}

export default function () {
  const service = services[__VU % services.length]
  const user = Math.floor(Math.random() * REQUESTS)
  const reply = http.get(`${service}/features?user=${user}`, { tags: { name: 'features' } })
  check(reply, {
    'has records': (one) => one.status === 200 && one.json('records') > 0,
  })
}
