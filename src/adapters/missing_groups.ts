/**
 * The groups that a report does not have, or has only since some instant. OpenAI's costs name no API keys before December 2025: a
 * request for older days that groups by `api_key_id` is refused with 400, and the refusal names the instant. And the types of its SDK
 * may know a group before the API does. A report without a group has the same sums.
 */
import type { MissingGroup, Place, Report, ReportRequest } from "./report.ts";

/** The parameter that names a group. */
const GROUP_BY = "group_by[]";

/** OpenAI's words for a group that older days do not have: `group_by=… is not available …. Try a start_time on or after ….` */
const SINCE = /\bgroup_by=(\w{1,60})\b.{0,200}?\bstart_time\b.{0,60}?\b(\d{9,11})\b/s;

/** OpenAI's words for a group that a report does not have: `Invalid value: '…'. Supported values are: …` */
const NEVER = /^Invalid value: '(\w{1,60})'\. Supported values are: /;

/** The group that a refusal says is missing; undefined if the refusal says something else. */
export function missingGroupIn(status: number, said: string | null): MissingGroup | undefined {
  if (status !== 400 || said === null) return undefined;
  const [, group = NEVER.exec(said)?.[1], seconds] = SINCE.exec(said) ?? [];
  const since = seconds === undefined ? Infinity : Number(seconds) * 1000;
  return group === undefined ? undefined : { group, since };
}

export class MissingGroups {
  readonly #since = new Map<Report, Map<string, number>>();

  /**
   * Notes the missing group that a refusal of `asked` names.
   *
   * @returns `new`, or `known` if a request at the same time was refused before; `useless` if the request would be the same again
   */
  learn(
    report: Report,
    { start }: Place,
    asked: ReportRequest,
    missing: MissingGroup,
  ): "new" | "known" | "useless" {
    const { group, since } = missing;
    const isAsked = asked.parameters.some(([name, value]) => name === GROUP_BY && value === group);
    if (report.pages === "rows" || !isAsked || since <= start) return "useless";
    const groups = this.#since.get(report) ?? new Map<string, number>();
    if (groups.get(group) === since) return "known";
    this.#since.set(report, groups.set(group, since));
    return "new";
  }

  /** The place with no more buckets than have the same groups; `width` of a bucket in milliseconds. */
  fitted<At extends Place>(report: Report, place: At, width: number): At {
    const ends = this.#missing(report, place).map(([, since]) => since);
    const buckets = Math.ceil((Math.min(...ends) - place.start) / width);
    return { ...place, size: Math.min(place.size, buckets) };
  }

  /** The request without the groups that are missing at its place. */
  without(report: Report, place: Place, request: ReportRequest): ReportRequest {
    const missing = new Set(this.#missing(report, place).map(([group]) => group));
    const parameters = request.parameters.filter(
      ([name, value]) => name !== GROUP_BY || !missing.has(value),
    );
    return { ...request, parameters };
  }

  #missing(report: Report, { start }: Place): [group: string, since: number][] {
    return [...(this.#since.get(report) ?? [])].filter(([, since]) => since > start);
  }
}
