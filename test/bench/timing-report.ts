import type { Exchange } from './exchange.js';
import { formatRatio, median, percentile, type SectionResult, type Target } from './report.js';

/** The answers of one case. */
export interface TimingCase {
  group: string;
  name: string;
  responses: Exchange[];
}

/** How far the medians of a group may lie apart, in per cent. */
const MAX_DIFFERENCE = 10;

/** Differ from answer to answer, and tell nothing. */
const variableHeaders = new Set(['date', 'x-request-id']);

/** What an answer says, without what is another with each request. */
export function normalize({ status, headers, body }: Exchange): {
  status: number;
  headers: string;
  body: string;
} {
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!;
    kept.push(`${name}: ${variableHeaders.has(name.toLowerCase()) ? '' : headers[index + 1]!}`);
  }
  return { status, headers: kept.join('\n'), body: body.replace(/"requestId":"[^"]*"/, '"requestId":""') };
}

const medianMs = ({ responses }: TimingCase): number => median(responses.map(({ ms }) => ms));

/** Every case beside the first of its group, and whether each group looks like one. */
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
  const isEqual = (part: keyof typeof reference): string =>
    each.responses.every((answer) => normalize(answer)[part] === reference[part]) ? 'equal' : 'DIFFERENT';
  return [
    `${each.group}: ${each.name}`,
    String(times.length),
    median(times).toFixed(1),
    percentile(times, 0.9).toFixed(1),
    formatRatio(medianMs(each) / medianMs(first)),
    isEqual('status'),
    isEqual('headers'),
    isEqual('body'),
  ];
}

function targets(group: TimingCase[]): Target[] {
  const medians = group.map(medianMs);
  const texts = group.flatMap(({ responses }) =>
    responses.map((answer) => JSON.stringify(normalize(answer))),
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
      name: `${name}: different answers`,
      value: new Set(texts).size,
      bound: 1,
      direction: 'at most',
      unit: '',
      isRequired: true,
    },
  ];
}
