/** The settings and the hardships of one sync. */
import { FAIR, type Weather } from "./network.ts";
import type { Strike } from "./outages.ts";
import type { Asked } from "./promises.ts";
import type { StreamName } from "./records.ts";
import type { Stir } from "./stirs.ts";
import type { End } from "./sync.ts";
import { ALL_SELECTED, type DateRule, type Reset, type Selection } from "./trials.ts";

/** One sync of a life. */
export interface Step {
  readonly weather: Weather;
  readonly end: End;
  readonly asked: Asked;
  /** The config's number of lanes; null leaves the number to the connector (C1). */
  readonly concurrency: number | null;
  readonly pageSize: number;
  readonly slowness: number;
  readonly stateInterval: number;
  /**
   * The platform's reaction to a killed sync: it keeps or drops the rows after the last state, or uses an older state.
   */
  readonly keepsRows: boolean;
  readonly olderState: boolean;
  /** The share of the STATEs of `export_windows` that the platform keeps of a sync that died, with the reports before them. */
  readonly reportsKept: number;
  /** The outages that begin during this sync. */
  readonly strikes: readonly Strike[];
  /** The changes of records during this sync. */
  readonly stirs: readonly Stir[];
  readonly date: DateRule;
  /** The dataset that is not offered. */
  readonly absent: StreamName | null;
  readonly selection: Selection;
  /** The stream that is cleared before the sync. */
  readonly reset: Reset | null;
}

export const CALM: Step = {
  weather: FAIR,
  end: {},
  asked: {
    startDate: null,
    lookbackDays: null,
    reconcileDays: null,
    scrubDays: null,
    endDate: null,
  },
  concurrency: 4,
  pageSize: 5,
  slowness: 0,
  stateInterval: 0,
  keepsRows: true,
  olderState: false,
  reportsKept: 1,
  strikes: [],
  stirs: [],
  date: { ahead: 0 },
  absent: null,
  selection: ALL_SELECTED,
  reset: null,
};
