/** Makes the state that the next run compares with. */
import { cursorToKeep } from "./checks/cursors.ts";
import { Missing } from "./errors.ts";
import { parseInstant } from "./instants.ts";
import { hashOf, KEPT_RECORDS } from "./memory.ts";
import type { Memory } from "./memory.ts";
import type { Reading } from "./pages.ts";
import { sample, seriesOf } from "./samples.ts";
import type { Session } from "./session.ts";

function keptOf(reading: Reading): Memory["series"][string] {
  const through = parseInstant(reading.pages[0]?.envelope?.["available_through"]);
  const records = reading.records.slice(0, KEPT_RECORDS).flatMap(({ id, value, text }) => {
    const updated = value?.["x_RecordUpdatedAt"];
    const status = value?.["x_CostStatus"];
    if (id === undefined || typeof updated !== "string") return [];
    const kept = {
      updated,
      hash: hashOf(text),
      status: typeof status === "string" ? status : null,
    };
    return [[id, kept] as const];
  });
  return {
    ...reading.window,
    available_through: through ?? null,
    records: Object.fromEntries(records),
  };
}

/** The windows that the run looked at, record by record; a listing with too many records is left out. */
export async function remember(session: Session): Promise<Memory> {
  const series: Memory["series"] = {};
  const all = await seriesOf(session);
  for (const one of all) {
    try {
      const reading = await sample(session, one);
      if (reading.records.length <= KEPT_RECORDS) series[one.name] = keptOf(reading);
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
    }
  }
  const cursor = await cursorToKeep(session, all);
  const { baseUrl } = session.options;
  return { version: 1, base_url: baseUrl, series, ...(cursor === undefined ? {} : { cursor }) };
}
