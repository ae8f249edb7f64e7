/**
 * The part of undici that every command uses. The whole package also loads fetch, caches, WebSockets and mocks: in the
 * bundle it takes 95 ms instead of 33 ms before the first request, and 4.5 MiB more memory (undici 8.12.4, Node 26.10).
 * undici has no `exports` map, so Node resolves this path as it resolves the package itself. The version is pinned, and
 * an undici that moves a part fails the type check, the build and the tests of transport.ts.
 *
 * This file exists because undici is CommonJS: a bundle that imports CommonJS lazily gives a default export without names.
 */
export { default as Agent } from "undici/lib/dispatcher/agent.js";
