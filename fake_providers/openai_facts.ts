/** The usage and costs of an OpenAI organization. Every amount and id is invented. */
import { DAY } from "../reference_provider/instants.ts";
import type { Instant } from "../reference_provider/instants.ts";
import type { DayMaker, Dimensions, Draw, Fact, Total } from "./facts.ts";
import { MONEY_SCALE, Totals } from "./facts.ts";

const MODELS = ["gpt-6-astra", "gpt-5", "gpt-5-2025-08-07", "gpt-5-mini", null] as const;
const PROJECTS = ["proj_research", "proj_support", null] as const;
const KEYS = ["key_a1", "key_b2", "key_c3", null] as const;

/** The metrics of the other usage reports, and their usage types in the words of the interface. */
const COUNTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  embeddings: { input_tokens: "input_tokens", num_model_requests: "requests" },
  moderations: { input_tokens: "input_tokens", num_model_requests: "requests" },
  images: { images: "x_images", num_model_requests: "x_image_requests" },
  audio_speeches: { characters: "characters", num_model_requests: "requests" },
  audio_transcriptions: { seconds: "audio_seconds", num_model_requests: "requests" },
  vector_stores: { usage_bytes: "x_vector_store_bytes" },
  code_interpreter_sessions: { num_sessions: "x_code_interpreter_sessions" },
  file_search_calls: { num_requests: "x_file_search_calls" },
  web_search_calls: {
    num_requests: "x_web_search_calls",
    num_model_requests: "x_web_search_model_requests",
  },
};

/** Reports whose rows name no model. */
const WITHOUT_MODEL = new Set(["vector_stores", "code_interpreter_sessions", "file_search_calls"]);

/** Reports of tokens, whose rows hold parts of each other. */
const TOKENS = ["completions", "decisions"] as const;

/** The disjoint kinds of tokens, each with its usage type. */
const PARTS: Readonly<Record<string, string>> = {
  uncached_text: "input_tokens",
  uncached_image: "x_input_image_tokens",
  uncached_audio: "input_audio_tokens",
  cached_text: "cache_read_tokens",
  cached_audio: "cache_read_tokens",
  write_30m: "x_cache_write_30m_tokens",
  write_12h: "x_cache_write_12h_tokens",
  output_text: "output_tokens",
  output_image: "x_output_image_tokens",
  output_audio: "output_audio_tokens",
  requests: "requests",
};

/** The days on which each API key has each line item: more rows than a page of 1,000 records holds. */
const isCrowded = (day: Instant): boolean => (day / DAY) % 97 === 5;

export const factsOfDay: DayMaker = (day, draw) => [
  ...TOKENS.flatMap((report) =>
    Array.from({ length: report === "decisions" ? 1 : draw.int(2, 8) }, () =>
      tokens(report, day, draw),
    ),
  ),
  ...Object.keys(COUNTED).flatMap((report) =>
    draw.chance(0.4) ? [counted(report, day, draw)] : [],
  ),
  ...Array.from({ length: draw.int(3, 12) }, () => cost(day, draw)),
  ...(isCrowded(day) ? crowd(day, draw) : []),
];

function tokens(report: string, day: Instant, draw: Draw): Fact {
  const metrics = Object.fromEntries(
    Object.keys(PARTS).map((part) => [part, BigInt(draw.chance(0.3) ? 0 : draw.int(1, 2_000_000))]),
  );
  return {
    report,
    ...draw.when(day),
    dimensions: {
      ...place(draw),
      batch: draw.pick(["true", "false"]),
      service_tier: draw.pick(["default", "flex", "priority", null]),
      api_source: draw.pick(["unlabeled", "agents_api"]),
    },
    metrics,
  };
}

function place(draw: Draw): Dimensions {
  return {
    model: draw.pick(MODELS),
    project_id: draw.pick(PROJECTS),
    api_key_id: draw.pick(KEYS),
    user_id: draw.pick(["user-1", "user-2", null]),
  };
}

function counted(report: string, day: Instant, draw: Draw): Fact {
  const names = Object.keys(COUNTED[report] ?? {});
  return {
    report,
    ...draw.when(day),
    dimensions: {
      ...place(draw),
      size: draw.pick(["1024x1024", "1792x1024"]),
      source: draw.pick(["image.generation", "image.edit"]),
      vector_store_id: draw.pick(["vs_1", "vs_2"]),
      context_level: draw.pick(["low", "medium", "high"]),
      api_source: draw.pick(["unlabeled", "agents_api"]),
    },
    metrics: Object.fromEntries(names.map((name) => [name, BigInt(draw.int(1, 90_000))])),
  };
}

function cost(day: Instant, draw: Draw): Fact {
  const model = draw.pick(["gpt-6-astra", "gpt-5", "gpt-5-mini"]);
  const meter = draw.pick(["input", "cached input", "output"]);
  const tiny = draw.chance(0.2);
  return {
    report: "costs",
    ...draw.when(day),
    dimensions: {
      line_item: draw.pick([
        `${model}, ${meter}`,
        `${model}-2026-04-21, ${meter}, long context`,
        `gpt-image-1 ${draw.pick(["image", "text"])}, output`,
        "whisper",
        "web search tool calls",
        null,
      ]),
      project_id: draw.pick(PROJECTS),
      api_key_id: draw.pick(KEYS),
      api_source: "unlabeled",
      user_id: null,
    },
    metrics: {
      amount: draw.chance(0.05)
        ? 0n
        : BigInt(tiny ? draw.int(1, 20_000_000) : draw.int(1, 2 ** 31)) * (tiny ? 1n : 37n),
      quantity: BigInt(draw.int(1, 1_000_000)),
    },
  };
}

function crowd(day: Instant, draw: Draw): Fact[] {
  return Array.from({ length: 1300 }, (_, index) => ({
    report: "costs",
    at: day,
    visibleFrom: day,
    dimensions: {
      line_item: `gpt-5, ${["input", "cached input", "output"][index % 3]}`,
      project_id: "proj_research",
      api_key_id: `key_many_${Math.floor(index / 3)}`,
      api_source: "unlabeled",
      user_id: null,
    },
    metrics: { amount: BigInt(draw.int(1, 2 ** 31)), quantity: BigInt(draw.int(1, 1000)) },
  }));
}

/** The sums of usage facts by day, model and usage type, no token counted twice. */
export function usageTotals(facts: Iterable<Fact>): Total[] {
  const totals = new Totals();
  for (const { report, at, dimensions, metrics } of facts) {
    const meters = COUNTED[report] ?? PARTS;
    const model = WITHOUT_MODEL.has(report) ? null : modelOf(dimensions["model"] ?? "");
    for (const [name, value] of Object.entries(metrics)) {
      const meter = meters[name];
      if (meter === undefined || report === "costs") continue;
      totals.add(at, model, (at < NEWER_MEMBERS ? INSIDE[meter] : undefined) ?? meter, value);
    }
  }
  return totals.list();
}

/** The model with whose name the text of a line item or row begins, without the date of a snapshot; null if there is none. */
function modelOf(text: string): string | null {
  const names = ["gpt-6-astra", "gpt-5-mini", "gpt-5", "gpt-image-1", "whisper"];
  return names.find((name) => text.startsWith(name)) ?? null;
}

/** Since when rows name image tokens (openai_rows.ts). */
export const NEWER_MEMBERS = Date.UTC(2026, 5, 1);

/** Older rows have image tokens inside of the others. */
const INSIDE: Readonly<Record<string, string>> = {
  x_input_image_tokens: "input_tokens",
  x_output_image_tokens: "output_tokens",
};

/** The sums of cost facts by day, model (where the line item names one) and currency. */
export function costTotals(facts: Iterable<Fact>): Total[] {
  const totals = new Totals();
  for (const { report, at, dimensions, metrics } of facts) {
    if (report !== "costs") continue;
    const item = dimensions["line_item"] ?? "";
    totals.add(at, modelOf(item), "USD", metrics["amount"] ?? 0n, MONEY_SCALE);
  }
  return totals.list();
}
