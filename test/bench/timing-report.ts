import type { Exchange } from './exchange.js';
import { formatRatio, median, percentile, type SectionResult, type Target } from './report.js';

/** The responses of one case. */
export interface TimingCase {
  group: string;
  name: string;
  responses: Exchange[];
}

/** Maximum difference between the medians of a group, in percent. */
const MAX_DIFFERENCE = 10;

/** Headers that differ for each response and reveal nothing. */
const variableHeaders = new Set(['date', 'x-request-id']);

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
  return { status, headers: lines.join('\n'), body: body.replace(/"requestId":"[^"]*"/, '"requestId":""') };
}

const medianMs = ({ responses }: TimingCase): number => median(responses.map(({ ms }) => ms));

/**
 * Compares every case with the first of its group, and checks whether the cases of a group are
 * indistinguishable.
 */
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
    targets: groups.flatMap(targets),
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
    {
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
