/** What is used of undici where there is a proxy: its parts for proxies work only within the whole. */
export { EnvHttpProxyAgent } from "undici";
