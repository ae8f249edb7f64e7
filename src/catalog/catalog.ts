/** Both catalogs: the one that `discover` offers, and the configured one, which says what to read. */
import * as z from "zod";
import { ConnectorError } from "../errors.ts";
import { exportWindowsSchema } from "./export_windows_schema.ts";
import { labelsSchema } from "./labels_schema.ts";
import { describeIssues, issuesOf, ruleOf } from "../config/issues.ts";
import type { Capabilities } from "../generated/capabilities.d.ts";
import { catalogSchemas } from "../generated/catalog_schemas.ts";
import type { CatalogStream, SyncMode } from "../protocol.ts";
import { STREAM_NAMES, type StreamName } from "./stream_names.ts";

/** Streams of records support both modes, and full refreshes resume (S7). */
const SYNC_MODES = ["full_refresh", "incremental"] as const satisfies readonly SyncMode[];

const LABELS: CatalogStream = {
  name: "labels",
  json_schema: labelsSchema,
  supported_sync_modes: ["incremental"],
  source_defined_cursor: true,
  default_cursor_field: ["read_at"],
  source_defined_primary_key: [["id"]],
  is_resumable: true,
};

/** A stream to read. */
export interface ConfiguredStream {
  readonly name: StreamName;
  readonly syncMode: SyncMode;
}

/** A configured catalog, split into streams and faults: streams that cannot be read must not stop others (design section 4). */
export interface ConfiguredCatalog {
  /** In the catalog's order, no name twice. */
  readonly streams: readonly ConfiguredStream[];
  /** One for each stream that this source cannot read, with `stream` set. */
  readonly faults: readonly ConnectorError[];
}

/**
 * The streams on offer: usage always, costs if the capabilities have them, the report of all readings (R5), and names if the source has
 * them (N1). The report only grows, and only changed names are written, so neither can be refreshed as a whole.
 */
export function discoverCatalog({ datasets }: Capabilities, hasNames: boolean): CatalogStream[] {
  const datasetNames = (["usage", "costs"] as const).filter((name) => datasets[name] !== undefined);
  return [
    ...datasetNames.map((name) => ({
      name,
      json_schema: catalogSchemas[name],
      supported_sync_modes: SYNC_MODES,
      source_defined_cursor: true,
      default_cursor_field: ["x_ReadingId"],
      source_defined_primary_key: [["x_RecordId"]],
      is_resumable: true,
    })),
    {
      name: "export_windows",
      json_schema: exportWindowsSchema,
      supported_sync_modes: ["incremental"],
      source_defined_cursor: true,
      default_cursor_field: ["ended_at"],
      source_defined_primary_key: [["id"]],
      is_resumable: true,
    },
    ...(hasNames ? [LABELS] : []),
  ];
}

/** The few members of a configured catalog that we need. Platforms fill the others with nulls and keys of their own. */
const catalogSchema = z.looseObject({
  streams: z.array(
    z.looseObject({
      stream: z.looseObject({ name: z.string().min(1) }),
      // Checked for each stream in `configured`.
      sync_mode: z.unknown().optional(),
    }),
  ),
});

/**
 * The streams that a configured catalog (airbyte-protocol 0.18, ConfiguredAirbyteCatalog) asks for.
 *
 * @throws ConnectorError `invalid_catalog`, which names every fault of the catalog's shape at once; a stream named twice
 * is such a fault. An unknown stream or an unsupported sync mode is a fault of that stream only, and is returned.
 */
export function parseCatalog(value: unknown): ConfiguredCatalog {
  const parsed = catalogSchema.safeParse(value, { error: ruleOf });
  const faults = parsed.success ? [] : issuesOf(parsed.error);
  const entries = parsed.success ? parsed.data.streams : [];
  const names = entries.map(({ stream }) => stream.name);
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) === index) continue;
    faults.push({ path: `streams[${index}]`, rule: `must not name "${name}" a second time` });
  }
  if (faults.length > 0) {
    throw new ConnectorError("invalid_catalog", describeIssues("catalog", faults));
  }
  const judged = entries.map(({ stream, sync_mode }) => configured(stream.name, sync_mode));
  return {
    streams: judged.filter((stream) => !(stream instanceof ConnectorError)),
    faults: judged.filter((stream) => stream instanceof ConnectorError),
  };
}

function configured(name: string, mode: unknown): ConfiguredStream | ConnectorError {
  const known = STREAM_NAMES.find((candidate) => candidate === name);
  if (known === undefined) {
    return new ConnectorError(
      "invalid_catalog",
      `Stream "${name}" does not exist; this source has ${STREAM_NAMES.map((each) => `"${each}"`).join(", ")}. ` +
        "Take it out of the catalog, or discover the schema again.",
      { stream: name },
    );
  }
  const syncMode = SYNC_MODES.find((candidate) => candidate === mode);
  if (syncMode === undefined) {
    return new ConnectorError(
      "invalid_catalog",
      `Stream "${name}": sync_mode must be ${SYNC_MODES.map((each) => `"${each}"`).join(" or ")}.`,
      { stream: name },
    );
  }
  return { name: known, syncMode };
}
