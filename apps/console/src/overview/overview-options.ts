import { comparison } from '../charts/compare-switch';
import type { Preset } from '../components/time-range';

export const REFETCH_INTERVAL_MS = 15_000;

export interface OverviewSelection {
  range: Preset;
  /** The project's ID; "" for all projects. */
  project: string;
  /** True if the metrics are compared with the previous period. */
  isCompared: boolean;
}

/** Returns the parameters and the options for loading the metrics. */
export const overviewOptions = ({ range, project, isCompared }: OverviewSelection) =>
  [
    {
      query: {
        range,
        ...(project && { projectId: project }),
        ...(isCompared && { compare: comparison.value }),
      },
    },
    { refetchInterval: REFETCH_INTERVAL_MS, keepPreviousData: true },
  ] as const;
