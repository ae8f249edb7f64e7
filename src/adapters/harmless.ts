/**
 * The parts of an answer that a recording may show as they came: names of members that the providers document, and texts that are known
 * to say nothing of an account. Everything else is hashed, because an answer that nobody has seen may hold anything.
 */

/** The members that the reports have by their documentation. A name that is not here may be an e-mail address. */
const MEMBERS: ReadonlySet<string> = new Set(
  (
    "object type data results group usage cost has_more next_page first_id last_id error message code status request_id id name " +
    "start_time end_time starting_at ending_at data_refreshed_at date amount list_amount value currency line_item description " +
    "model model_permaslug provider_name endpoint_id project_id api_key_id user_id workspace_id organization_id vector_store_id " +
    "batch service_tier api_source size source context_level quantity quantity_unit cost_type token_type product context_window " +
    "inference_geo speed actor actor_type agent_id claude_tag_category claude_tag_user_id deployment_id environment_id " +
    "rbac_group_id session_id slack_channel_id user_profile_id input_tokens output_tokens input_cached_tokens " +
    "input_uncached_tokens input_text_tokens input_audio_tokens input_image_tokens input_cached_text_tokens " +
    "input_cached_audio_tokens input_cached_image_tokens input_cache_write_tokens input_cache_write_30m_tokens " +
    "input_cache_write_12h_tokens output_text_tokens output_audio_tokens output_image_tokens num_model_requests num_requests " +
    "num_sessions images characters seconds usage_bytes uncached_input_tokens cache_read_input_tokens cache_creation " +
    "ephemeral_5m_input_tokens ephemeral_1h_input_tokens server_tool_use web_search_requests web_fetch_requests requests " +
    "total_tokens prompt_tokens completion_tokens reasoning_tokens byok_usage_inference total_usage total_credits"
  ).split(" "),
);

/** Values of members that are chosen from a list. */
const KINDS: ReadonlySet<string> = new Set(
  (
    "page bucket organization usd eur default auto flex scale priority standard batch flex_discount priority_on_demand " +
    "unlabeled agents_api tokens images requests seconds characters sessions bytes gb-days web_search code_execution session_usage " +
    "uncached_input_tokens output_tokens cache_read_input_tokens cache_creation.ephemeral_1h_input_tokens " +
    "cache_creation.ephemeral_5m_input_tokens 0-200k 200k-1m us global not_available fast low medium high image.generation " +
    "image.edit image.variation chat claude_code cowork api office_agent claude_in_chrome claude_design claude_tag " +
    "chat_cowork_unified workbench other 256x256 512x512 1024x1024 1024x1536 1536x1024 1024x1792 1792x1024 error " +
    "invalid_request_error authentication_error permission_error not_found_error rate_limit_error api_error overloaded_error " +
    "openai anthropic google deepinfra deepseek azure bedrock vertex mistral together fireworks groq xai"
  ).split(" "),
);

const KIND_MEMBERS: ReadonlySet<string> = new Set(
  (
    "object type currency service_tier api_source quantity_unit cost_type token_type context_window inference_geo speed " +
    "context_level size source product code provider_name actor_type"
  ).split(" "),
);

const TIMES: ReadonlySet<string> = new Set(
  "starting_at ending_at data_refreshed_at date start_time end_time".split(" "),
);
const AMOUNTS: ReadonlySet<string> = new Set("amount list_amount value quantity".split(" "));
const MODELS: ReadonlySet<string> = new Set("model model_permaslug".split(" "));

const TIME = /^\d{4}-\d\d-\d\d(?:[T ][\d:.]{5,15}(?:Z|\+00:00)?)?$/;
const NUMBER = /^[+-]?\d{1,40}(?:\.\d{1,60})?(?:[eE][+-]?\d{1,6})?$/;

/** Models by their makers' names. A fine-tuned model has a colon or an organization's name, and is none of these. */
const MODEL =
  /^(?:(?:openai|anthropic|google|deepseek|meta-llama|mistralai|qwen|x-ai)\/)?(?:gpt|chatgpt|claude|text-embedding|text-moderation|omni-moderation|whisper|tts|dall-e|sora|codex|computer-use|gemini|deepseek|llama|mistral|qwen|grok|o\d)(?:-(?:\d[\w.]{0,9}|[a-z]{1,2}\d{1,3}|image|mini|nano|pro|max|astra|terra|opus|sonnet|haiku|turbo|preview|latest|audio|realtime|transcribe|search|research|deep|api|small|medium|large|ada|codex|chat|flash|lite|instruct|hd|e)){0,8}$/;

/** The parts of a line item behind the model. */
const PARTS: ReadonlySet<string> = new Set(
  (
    "input|output|cached input|cache writes|image|text|audio|long context|batch|flex|priority|web search tool calls|" +
    "file search tool calls|code interpreter sessions|vector storage"
  ).split("|"),
);

export function isHarmlessMember(name: string): boolean {
  return MEMBERS.has(name);
}

/** Whether the text of a member may be shown. Members of ids never may. */
export function isHarmlessText(name: string, text: string): boolean {
  if (TIMES.has(name)) return TIME.test(text);
  if (AMOUNTS.has(name)) return NUMBER.test(text);
  if (MODELS.has(name)) return MODEL.test(text);
  if (name === "line_item") return isHarmlessItem(text);
  return (
    KIND_MEMBERS.has(name) &&
    (KINDS.has(text.toLowerCase()) || /^organization(?:\.[a-z_]{1,30}){1,4}$/.test(text))
  );
}

/** A line item of which each part is known: `gpt-image-1 image, output`. */
function isHarmlessItem(text: string): boolean {
  const [front = "", ...parts] = text.split(", ");
  const isKnown = MODEL.test(front.replace(/ (?:text|image|audio|video)$/, "")) || PARTS.has(front);
  return isKnown && parts.every((part) => PARTS.has(part));
}

/** Whether a member's number may be shown: the name is known and is not that of an id. */
export function isHarmlessNumber(name: string): boolean {
  return MEMBERS.has(name) && !/(?:^|_)id$/.test(name);
}
