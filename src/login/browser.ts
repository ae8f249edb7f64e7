import { spawn } from "node:child_process";

const COMMANDS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/**
 * Starts the user's browser and does not wait for it.
 *
 * @param platform the value of `process.platform`
 * @returns whether a program that opens addresses was started
 */
export function openBrowser(address: URL, platform: string): Promise<boolean> {
  const [program, ...before] = COMMANDS[platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    // No shell: the address comes from the provider's metadata.
    const child = spawn(program, [...before, address.href], { detached: true, stdio: "ignore" });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}
