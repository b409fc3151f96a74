export * from './testing.js';
//# sourceMappingURL=testing.mjs.map