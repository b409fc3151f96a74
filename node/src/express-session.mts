export * from './express-session.js'
