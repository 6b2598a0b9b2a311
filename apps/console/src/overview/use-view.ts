import { useSearchParams } from 'react-router';
import { isPreset, type Preset } from '../parts/time-range';

const FALLBACK: Preset = '24h';

interface View {
  range: Preset;
  /** "" is the whole house. */
  project: string;
  /** What the URL says that is no range. */
  fault: string | null;
  set: (name: 'range' | 'project', value: string) => void;
}

/** What the overview is of, as the URL says. */
export function useView(): View {
  const [search, setSearch] = useSearchParams();
  const asked = search.get('range') ?? FALLBACK;
  return {
    range: isPreset(asked) ? asked : FALLBACK,
    project: search.get('project') ?? '',
    fault: isPreset(asked) ? null : asked,
    set: (name, value) =>
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
export function listLink(path: string, filters: Record<string, string>): string {
  const search = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''));
  return search.size > 0 ? `${path}?${search.toString()}` : path;
}
