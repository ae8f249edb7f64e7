/** Asks a person at a terminal. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { ConnectorError } from "../errors.ts";

/**
 * A function that asks one question a call. The answer to a question for a secret is not shown.
 * It throws ConnectorError `invalid_arguments` if the input ends, and the reason of `stop`. The terminal then shows typed text again.
 *
 * @param interrupt is called at Ctrl-C, which a terminal gives as a character while it is asked; it stops the command
 */
export function askAt(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  stop: AbortSignal,
  interrupt: () => unknown,
): (question: string, secret: boolean) => Promise<string> {
  return async (question, secret) => {
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const asking = createInterface({ input, output: secret ? silent : output, terminal: true });
    asking.on("SIGINT", interrupt);
    // The end of the input closes the interface, and a question of a closed interface would wait for ever.
    const given = new AbortController();
    asking.on("close", () => given.abort());
    const signal = AbortSignal.any([given.signal, stop]);
    try {
      if (!secret) return await asking.question(question, { signal });
      output.write(question);
      const answer = await asking.question("", { signal });
      output.write("\n");
      return answer;
    } catch (reason) {
      if (!signal.aborted) throw reason;
      stop.throwIfAborted();
      throw new ConnectorError("invalid_arguments", "No answer was given, so nothing was written.");
    } finally {
      asking.close();
    }
  };
}
