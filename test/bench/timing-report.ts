import type { Exchange } from './exchange.js';
import { formatRatio, median, percentile, type SectionResult, type Target } from './report.js';

/** A case's responses. */
export interface TimingCase {
  group: string;
  name: string;
  responses: Exchange[];
  /** True if durations vary within the case, so that only distributions can be compared. */
  isMixed: boolean;
  /** True if the case is only printed, because its response reveals the result anyway. */
  isInformative: boolean;
}

/** Maximum difference between a group's medians, in percent. */
const MAX_DIFFERENCE = 10;

/**
 * Coefficient for the critical distance in the two-sample Kolmogorov-Smirnov test at a significance of 0.001:
 * sqrt(-ln(0.001 / 2) / 2).
 */
const KS_COEFFICIENT = 1.949;

/** Returns the maximum distance between the empirical distributions of two samples (Kolmogorov-Smirnov). */
export function distributionDistance(first: number[], second: number[]): number {
  const shareUpTo = (sample: number[], value: number): number =>
    sample.filter((each) => each <= value).length / sample.length;
  return Math.max(
    ...[...first, ...second].map((value) => Math.abs(shareUpTo(first, value) - shareUpTo(second, value))),
  );
}

/** Returns the distance that two samples from one distribution exceed with a probability of 0.001. */
const criticalDistance = (first: number, second: number): number =>
  KS_COEFFICIENT * Math.sqrt((first + second) / (first * second));

/** Headers that differ for each response and reveal nothing. */
const variableHeaders = new Set(['date', 'x-request-id']);

/** Body members that differ for each response and reveal nothing. Their lengths are in `Content-Length`. */
const variableMembers = /"(requestId|token|expiresAt)":"[^"]*"/g;

/** Returns a response without the parts that differ for each request. */
export function normalize({ status, headers, body }: Exchange): {
  status: number;
  headers: string;
  body: string;
} {
  const lines: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!;
    lines.push(`${name}: ${variableHeaders.has(name.toLowerCase()) ? '' : headers[index + 1]!}`);
  }
  return { status, headers: lines.join('\n'), body: body.replace(variableMembers, '"$1":""') };
}

const medianMs = ({ responses }: TimingCase): number => median(responses.map(({ ms }) => ms));

/** Compares every case with the first one of its group, and checks that they are indistinguishable. */
export function timingReport(cases: TimingCase[], notes: string[]): SectionResult {
  const groups = [...new Set(cases.map(({ group }) => group))].map((group) =>
    cases.filter((each) => each.group === group),
  );
  return {
    table: [
      ['', 'n', 'median ms', 'p90 ms', 'to the first', 'status', 'headers', 'body'],
      ...groups.flatMap((group) => group.map((each) => row(each, group[0]!))),
    ],
    notes,
    targets: groups.filter((group) => !group.some(({ isInformative }) => isInformative)).flatMap(targets),
  };
}

function row(each: TimingCase, first: TimingCase): string[] {
  const times = each.responses.map(({ ms }) => ms);
  const reference = normalize(first.responses[0]!);
  const compare = (part: keyof typeof reference): string =>
    each.responses.every((response) => normalize(response)[part] === reference[part]) ? 'equal' : 'DIFFERENT';
  return [
    `${each.group}: ${each.name}`,
    String(times.length),
    median(times).toFixed(1),
    percentile(times, 0.9).toFixed(1),
    formatRatio(medianMs(each) / medianMs(first)),
    compare('status'),
    compare('headers'),
    compare('body'),
  ];
}

function targets(group: TimingCase[]): Target[] {
  const medians = group.map(medianMs);
  const texts = group.flatMap(({ responses }) =>
    responses.map((response) => JSON.stringify(normalize(response))),
  );
  const name = group[0]!.group;
  return [
    group[0]!.isMixed
      ? distanceTarget(group)
      : {
          name: `${name}: medians apart`,
          value: 100 * (Math.max(...medians) / Math.min(...medians) - 1),
          bound: MAX_DIFFERENCE,
          direction: 'at most',
          unit: ' %',
          isRequired: true,
        },
    {
      name: `${name}: different responses`,
      value: new Set(texts).size,
      bound: 1,
      direction: 'at most',
      unit: '',
      isRequired: true,
    },
  ];
}

/** Returns the target for the distance between the distributions of the first two cases. */
function distanceTarget([first, second]: TimingCase[]): Target {
  const [known, unknown] = [first!, second!].map(({ responses }) => responses.map(({ ms }) => ms));
  return {
    name: `${first!.group}: distance of distributions (significance 0.001)`,
    value: distributionDistance(known!, unknown!),
    bound: Number(criticalDistance(known!.length, unknown!.length).toFixed(3)),
    direction: 'at most',
    unit: '',
    isRequired: true,
  };
}
