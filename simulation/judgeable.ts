/** The facts that judges of a connection depend on. */
import type { Limits } from "../src/core/limits.ts";
import type { StateValue, Warehouse } from "./platform.ts";
import type { Provider } from "./provider.ts";
import type { Life, StreamName } from "./records.ts";

/** A connection after its last pass, whose requests and answers `world.provider` still holds. */
export interface Judgeable {
  readonly world: {
    readonly provider: Provider;
    readonly lives: readonly Life[];
    readonly reports: boolean;
    readonly trials: {
      readonly limits: Pick<Limits, "dueWindows" | "overtakenWindows" | "knownStrays">;
    };
  };
  readonly warehouse: Warehouse;
  readonly scheduler: { readonly now: number };
  /** Whether the connector warned that too many strays waited (L1). */
  readonly mayLoseStrays: boolean;
  /** Whether the connector warned that it may not recognize a repeated record (P5). The models then report a missing row. */
  readonly mayCountTwice: boolean;
  /** S8: whether a state has left out the content of days. */
  readonly forgetsDays: boolean;
  /**
   * R4: the streams whose platform gave back a STATE that is older than the last one before the kept rows. These rows may replace rows
   * that the STATE takes for standing, and the models say that their day is unproven.
   */
  readonly tooOld: ReadonlySet<StreamName>;
  readonly tooOldFor: ReadonlySet<string>;
  /** The chain of each stream's state. */
  readonly chainOf: (stream: StreamName) => string | undefined;
  /** R10: the days that are due for each stream. */
  readonly dueOf: (stream: StreamName) => NonNullable<StateValue["due"]>;
  /** P5: the days that await strays. */
  readonly awaitedOf: (stream: StreamName) => NonNullable<StateValue["awaited"]>;
  /** S8: the number of strays that the state names. */
  readonly strayCountOf: (stream: StreamName) => number;
}
