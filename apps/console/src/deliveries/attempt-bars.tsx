import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { errorLabel } from './explain-attempt';
import { statusClassLabels } from '../components/status-class';
import { listPath } from '../lists/list-path';
import { BarList, linkedBar } from '../charts/bar-list';
import type { ChartColor } from '../charts/chart-frame';

type StatusCount = Schemas['OverviewStatus'];
type ErrorCount = Schemas['OverviewError'];

/** Returns the path of the attempt list with these filters. */
export type AttemptsPath = (filters: Record<string, string>) => string;

export const attemptsPath: AttemptsPath = (filters) => listPath('/deliveries/attempts', filters);

const statusColors: Record<StatusCount['status'], ChartColor> = {
  '2xx': 'good',
  '3xx': 'warn',
  '4xx': 'bad',
  '5xx': 'bad',
  other: 'bad',
  none: 'calm',
};

interface AttemptBarsProps<Count> {
  counts: Count[];
  pathTo: AttemptsPath;
}

/** Renders the number of attempts per response status class. */
export function StatusBars({ counts, pathTo }: AttemptBarsProps<StatusCount>): ReactNode {
  return (
    <BarList
      title="By response status"
      axisLabel="Response status"
      bars={counts
        .filter(({ status, count }) => status !== 'other' || count > 0)
        .map(({ status, count }) =>
          linkedBar(statusClassLabels[status], count, pathTo({ status_class: status }), statusColors[status]),
        )}
    />
  );
}

/** Renders the number of failed attempts per error. */
export function ErrorBars({ counts, pathTo }: AttemptBarsProps<ErrorCount>): ReactNode {
  return (
    <BarList
      title="By error"
      axisLabel="Error"
      bars={counts
        .filter(({ count }) => count > 0)
        .map(({ error, count }) => linkedBar(errorLabel(error), count, pathTo({ error }), 'bad'))}
      emptyText="No errors in this period"
    />
  );
}
