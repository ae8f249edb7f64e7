/**
 * What is used of undici, by name: it is CommonJS, which a bundle that loads it lazily would hand over as one default
 * export without names.
 */
export { Agent, EnvHttpProxyAgent, request } from "undici";
