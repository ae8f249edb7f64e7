/**
 * The bounds of a read's memory, of its state and of its second readings (L1, C3, S8, R10, P6). Past one of these bounds the connector
 * goes on with less knowledge; a bound that ends a read has its constant where it is used. The process edge passes {@link LIMITS}.
 * Tests and the simulation pass smaller bounds, so that the paths behind each bound run without a million records.
 */
export interface Limits {
  /** The slots of the first table of the records that a stream remembers (P5): a power of two. */
  readonly firstSightings: number;
  /** The slots of each table that follows the first one: a power of two. */
  readonly sightings: number;
  /** The most strays that wait at once (P5). A further stray is forgotten: only the window that owns it writes it. */
  readonly pendingStrays: number;
  /** The most windows that all waiting strays note together. Beyond that, a stray notes only the first window that showed it. */
  readonly notedWindows: number;
  /** Strays that the state remembers (S8). */
  readonly knownStrays: number;
  /** Windows that are read to look for the owners of strays. */
  readonly looks: number;
  /** Windows that a pass reads because their days are due (R10). */
  readonly dueWindows: number;
  /** The most pages of a window that is read a second time in the same sync (P6). */
  readonly confirmedPages: number;
  /** The most windows that are read a second time in the same sync (P6). */
  readonly confirmations: number;
  /** The windows that are read once more in the same sync because a row that another window misses may have moved there (R10). */
  readonly overtakenWindows: number;
  /** Lines of a page are held only if they have at most so many bytes. The STATE before longer lines costs little beside them (R6). */
  readonly heldPageBytes: number;
  /** Bytes that are held before they are written (C3). */
  readonly heldBytes: number;
  /** Records between two STATEs (S2). */
  readonly stateRecords: number;
  /** Bytes of one stream's STATE (S8): two streams and `export_windows` stay below 1 MB together. */
  readonly stateBytes: number;
  /** Groups of control totals in a STATE: more are not even encoded, because that would take too long. */
  readonly stateGroups: number;
}

export const LIMITS: Limits = {
  firstSightings: 1024, // 17 KiB
  sightings: 131_072, // 2.1 MiB, and 512 KiB for the ids of records that windows have returned as their own (P5)
  pendingStrays: 50_000,
  notedWindows: 200_000,
  knownStrays: 2000,
  looks: 31,
  dueWindows: 400, // more than a year of days with a full page each
  confirmedPages: 4,
  confirmations: 100,
  overtakenWindows: 100,
  heldPageBytes: 256 * 1024,
  heldBytes: 1024 * 1024,
  stateRecords: 20_000,
  stateBytes: 450_000,
  stateGroups: 4000,
};
