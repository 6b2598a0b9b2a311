import { useSearchParams } from 'react-router';
import { comparison } from '../charts/compare-switch';
import { isPreset, type Preset } from '../components/time-range';

const FALLBACK: Preset = '24h';

interface OverviewParams {
  range: Preset;
  /** The project's ID; "" for all projects. */
  project: string;
  isCompared: boolean;
  /** The range in the URL if it is invalid, otherwise null. */
  invalidRange: string | null;
  setParam: (name: 'range' | 'project' | 'compare', value: string) => void;
}

/** Returns the overview's time range, project and comparison, which are stored in the URL. */
export function useOverviewParams(): OverviewParams {
  const [search, setSearch] = useSearchParams();
  const requestedRange = search.get('range') ?? FALLBACK;
  return {
    range: isPreset(requestedRange) ? requestedRange : FALLBACK,
    project: search.get('project') ?? '',
    isCompared: search.get(comparison.name) === comparison.value,
    invalidRange: isPreset(requestedRange) ? null : requestedRange,
    setParam: (name, value) =>
      setSearch(
        (before) => {
          const after = new URLSearchParams(before);
          if (value === '' || value === FALLBACK) after.delete(name);
          else after.set(name, value);
          return after;
        },
        { replace: true },
      ),
  };
}
