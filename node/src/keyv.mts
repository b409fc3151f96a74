export * from './keyv.js'
