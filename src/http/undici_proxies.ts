/** undici's agent for proxies. It works only if the whole package is loaded. */
export { EnvHttpProxyAgent } from "undici";
