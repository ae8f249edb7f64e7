/** Types of the part of undici that undici.ts imports, taken from the types of the package. */

declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}
