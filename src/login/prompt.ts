/** Asks a person at a terminal. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

/** A function that asks one question a call. The answer to a question for a secret is not shown. */
export function askAt(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): (question: string, secret: boolean) => Promise<string> {
  return async (question, secret) => {
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const asking = createInterface({ input, output: secret ? silent : output, terminal: true });
    try {
      if (!secret) return await asking.question(question);
      output.write(question);
      const answer = await asking.question("");
      output.write("\n");
      return answer;
    } finally {
      asking.close();
    }
  };
}
