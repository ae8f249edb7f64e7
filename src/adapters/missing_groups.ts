/**
 * The groups that a report has only since some instant. OpenAI's costs name no API keys before December 2025: a request for older days
 * that groups by `api_key_id` is refused with 400, and the refusal names the instant.
 */
import type { MissingGroup, Place, Report, ReportRequest } from "./report.ts";

/** The parameter that names a group. */
const GROUP_BY = "group_by[]";

/** OpenAI's words. */
const WORDS =
  /^group_by=(\w{1,60}) is not available for this time range\b.{0,200}\bstart_time on or after (\d{1,11})\b/s;

/** The group that a refusal says is missing; undefined if the refusal says something else. */
export function missingGroupIn(status: number, said: string | null): MissingGroup | undefined {
  const [, group, seconds] = (status === 400 ? WORDS.exec(said ?? "") : null) ?? [];
  return group === undefined ? undefined : { group, since: Number(seconds) * 1000 };
}

export class MissingGroups {
  readonly #since = new Map<Report, Map<string, number>>();

  /**
   * Notes the missing group that a refusal of `asked` names.
   *
   * @returns whether the request would be another one now. If not, it would be refused again.
   */
  learn(report: Report, { start }: Place, asked: ReportRequest, missing: MissingGroup): boolean {
    const { group, since } = missing;
    const isAsked = asked.parameters.some(([name, value]) => name === GROUP_BY && value === group);
    if (report.pages === "rows" || !isAsked || since <= start) return false;
    const groups = this.#since.get(report) ?? new Map<string, number>();
    this.#since.set(report, groups.set(group, since));
    return true;
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
