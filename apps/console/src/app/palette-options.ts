import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { Problem } from '../http/problem';
import { fetchPath } from '../http/queries';
import type { IconName } from '../components/icon';
import { useActiveCommands, type Command } from '../commands/commands';
import { groupOptions, matchCommands, type PaletteOption } from './palette-entries';
import { recordPath } from './navigation';

interface SearchResult {
  kind: string;
  id: string;
  title: string;
  subtitle: string | null;
  projectId: string | null;
}

const kinds: Record<string, { group: string; icon: IconName }> = {
  delivery: { group: 'Deliveries', icon: 'delivery' },
  attempt: { group: 'Attempts', icon: 'delivery' },
  event: { group: 'Events', icon: 'event' },
  endpoint: { group: 'Endpoints', icon: 'endpoint' },
  batch: { group: 'Batches', icon: 'batch' },
  customer: { group: 'Customers', icon: 'customer' },
  project: { group: 'Projects', icon: 'project' },
  organization: { group: 'Organizations', icon: 'organization' },
  api_key: { group: 'API keys', icon: 'key' },
  operator: { group: 'Operators', icon: 'operator' },
};

/** Maximum number of entries under "Recent". */
const MAX_RECENT = 5;

/**
 * The records that were opened from the palette since the page was loaded, newest first. Nothing is stored in the
 * browser.
 */
let recentOptions: readonly PaletteOption[] = [];

/** Adds a record to "Recent". */
export function rememberOption(option: PaletteOption): void {
  if (option.run || option.key.startsWith('command ')) return;
  const others = recentOptions.filter(({ key }) => key !== option.key);
  recentOptions = [{ ...option, group: 'Recent' }, ...others].slice(0, MAX_RECENT);
}

/**
 * Returns the entries for the typed text: commands whose title begins with it, the records that the search finds, and
 * commands that contain its words.
 * @param pageCommands the controls on the current page
 */
export function usePaletteOptions(
  typed: string,
  pageCommands: readonly Command[],
): {
  options: PaletteOption[];
  isSearching: boolean;
  problem: Problem | null;
} {
  const commands = useActiveCommands();
  const [debounced] = useDebouncedValue(typed, 150);
  const { data, isFetching, error } = useQuery<{ data: SearchResult[] }, Problem>({
    queryKey: ['/operator/v1/search', debounced],
    queryFn: async ({ signal }) =>
      (await fetchPath('/operator/v1/search', { query: { q: debounced } }, signal)) as {
        data: SearchResult[];
      },
    enabled: debounced.length > 1,
    staleTime: 10_000,
  });
  const results = debounced.length > 1 && debounced === typed ? (data?.data ?? []) : [];
  const titles = new Set(commands.map(({ title }) => title));
  const fromPage = pageCommands.filter(({ title }) => !titles.has(title));
  const [first, others] = matchCommands(typed, [...fromPage, ...commands]);
  const recent = typed === '' ? recentOptions : [];
  const isSearching = isFetching || debounced !== typed;
  return {
    options: groupOptions([
      ...recent,
      ...first,
      ...results.flatMap(toRecord),
      // Omitted during the search, so that pressing Enter early opens the record that the search finds.
      ...(isSearching ? [] : [...mailOptions(typed), ...others]),
    ]),
    isSearching,
    problem: isSearching ? null : error,
  };
}

function toRecord({ kind, id, title, subtitle, projectId }: SearchResult): PaletteOption[] {
  const to = recordPath(kind, id, projectId);
  const { group, icon } = kinds[kind] ?? { group: 'Other', icon: 'search' };
  return to ? [{ key: `${kind} ${id}`, group, icon, title, subtitle, to }] : [];
}

/** Returns the option that lists the emails to a typed address. */
function mailOptions(typed: string): PaletteOption[] {
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(typed)) return [];
  const email = typed.toLowerCase();
  const to = `/mails?${new URLSearchParams({ email }).toString()}`;
  return [
    { key: `mails ${email}`, group: 'Emails', icon: 'mail', title: `Emails to ${email}`, subtitle: null, to },
  ];
}
