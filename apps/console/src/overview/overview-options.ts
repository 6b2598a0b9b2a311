import type { Preset } from '../components/time-range';

export const REFETCH_INTERVAL_MS = 15_000;

export interface OverviewSelection {
  range: Preset;
  /** The ID of the project; "" for all projects. */
  project: string;
}

/** Returns the query of the metrics, and how they are loaded again. */
export const overviewOptions = ({ range, project }: OverviewSelection) =>
  [
    { query: { range, ...(project && { projectId: project }) } },
    { refetchInterval: REFETCH_INTERVAL_MS, keepPreviousData: true },
  ] as const;
