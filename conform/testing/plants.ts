/** All planted faults. Each names the checks that must find it; no other check may find it. */
import type { Plant } from "./plant.ts";
import { ofCapabilities, ofRecords } from "./plants_of_data.ts";
import { ofPages, ofWindows } from "./plants_of_reading.ts";
import { ofStability } from "./plants_of_time.ts";
import { ofOAuth, ofAnswers } from "./plants_of_access.ts";

export const PLANTS: readonly Plant[] = [
  ...ofCapabilities,
  ...ofRecords,
  ...ofPages,
  ...ofWindows,
  ...ofStability,
  ...ofOAuth,
  ...ofAnswers,
];
