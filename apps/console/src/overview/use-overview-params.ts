import { useSearchParams } from 'react-router';
import { isPreset, type Preset } from '../parts/time-range';

const FALLBACK: Preset = '24h';

interface OverviewParams {
  range: Preset;
  /** "" is the whole house. */
  project: string;
  /** What the URL says that is no range. */
  invalidRange: string | null;
  setParam: (name: 'range' | 'project', value: string) => void;
}

/** What the overview is of, as the URL says. */
export function useOverviewParams(): OverviewParams {
  const [search, setSearch] = useSearchParams();
  const asked = search.get('range') ?? FALLBACK;
  return {
    range: isPreset(asked) ? asked : FALLBACK,
    project: search.get('project') ?? '',
    invalidRange: isPreset(asked) ? null : asked,
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

/** A link to a list that shows what a figure counts. */
export function listPath(path: string, filters: Record<string, string>): string {
  const search = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''));
  return search.size > 0 ? `${path}?${search.toString()}` : path;
}
