/**
 * What is used of undici, by name: it is CommonJS, which a bundle that loads it lazily would hand over as one default
 * export without names. Taken from its parts, for the whole of it (fetch, caches, WebSockets, mocks) takes three times as
 * long to load, and 8 MB more.
 */
export { default as Agent } from "undici/lib/dispatcher/agent.js";
export { default as request } from "undici/lib/api/api-request.js";
