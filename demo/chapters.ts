/** The chapters of the demo: the instants at which the connector reads, each with an explanation. */

export interface Chapter {
  /** The instant of the provider's clock. */
  readonly at: string;
  readonly title: string;
  readonly happened: readonly string[];
}

// The explanations follow the data: reference_provider/data/README.md describes the records' lives, and provider.ts has
// the made-up records.
export const CHAPTERS: readonly [Chapter, ...Chapter[]] = [
  {
    at: "2025-10-04T02:00:00Z",
    title: "The first sync",
    happened: [
      "Everything that the provider keeps. Of the two runs of 2025-10-03 one has a provisional cost;",
      "the other one, its usage and its cost, has not been published yet.",
    ],
  },
  {
    at: "2025-10-05T06:00:00Z",
    title: "A day later: late rows",
    happened: [
      "The missing run has appeared, on a day that had been read before. Its cost is an estimate, 0.9 USD.",
    ],
  },
  {
    at: "2025-10-08T06:00:00Z",
    title: "Three days later: the costs settle",
    happened: [
      "Both provisional costs are final and on an invoice. The estimate did not change: it is gone, and a",
      "row with another id says 0.8756 USD. An upsert keeps both. The sum is the real spend, 1724.2103 USD.",
    ],
  },
  {
    at: "2025-10-16T06:00:00Z",
    title: "A week later: a closed period is corrected",
    happened: [
      "A new row gives back 2.6217 USD for use in August, which was billed long ago: out of reach of the",
      "usual look back over three days, found by the deep re-read that each day's first sync makes.",
      "Another one charges a run of August for a second time, 17.693 USD, provisionally.",
    ],
  },
  {
    at: "2025-10-17T06:00:00Z",
    title: "A day later: a charge is withdrawn",
    happened: [
      "The provider saw its mistake and took the second charge away: no correction, no credit, just a row",
      "less. Nothing arrives that an upsert could act on.",
    ],
  },
];
