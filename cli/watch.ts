/** The progress of a command on the stderr of a process: a picture at a terminal, and plain lines elsewhere. */
import type { Watcher } from "../warehouse/host.ts";
import { clock } from "./clock.ts";
import { PlainProgress, TerminalProgress } from "./progress.ts";

/** The width of a terminal that does not tell its own. */
const WIDTH = 100;

/** Calls a function each second at a terminal, and each half minute elsewhere. The returned function ends this. */
export function often({ stderr }: NodeJS.Process, act: () => void): () => void {
  const timer = setInterval(act, stderr.isTTY ? 1000 : 30_000);
  return () => clearInterval(timer);
}

/** @param mask takes secrets out of a text */
export function watchOn(own: NodeJS.Process, mask: (text: string) => string): () => Watcher {
  const { stderr } = own;
  stderr.on("error", () => undefined); // the read goes on if the terminal closes
  const place = {
    write: (text: string) => void stderr.write(mask(text)),
    now: () => clock.now(),
    width: () => (stderr.columns > 0 ? stderr.columns : WIDTH) - 1,
  };
  return () => {
    const progress = stderr.isTTY ? new TerminalProgress(place) : new PlainProgress(place);
    const rest = often(own, () => progress.tick());
    return {
      saw: (output) => progress.saw(output),
      told: (event) => progress.told(event),
      note: (text) => progress.note(text),
      end: () => {
        rest();
        progress.end();
      },
    };
  };
}
