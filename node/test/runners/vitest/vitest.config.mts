export default { cacheDir: '../../../node_modules/.vite' }
