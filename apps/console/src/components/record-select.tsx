import { Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { fetchPath } from '../http/queries';
import type { Problem } from '../http/problem';
import { redactSecrets } from './redact-secrets';
import { UntrustedText } from './untrusted-text';
import { showInvisible } from './visible-text';

interface RecordSelectProps {
  /** An ID, or "" for none. */
  value: string;
  onChange: (id: string) => void;
  label?: string;
  placeholder?: string;
  /** Shows the label above the field. Otherwise only screen readers announce it. */
  showLabel?: boolean;
  required?: boolean;
  error?: ReactNode;
}

interface SearchResult {
  kind: string;
  id: string;
  title: string;
  subtitle: string;
}

interface Page<T> {
  data: T[];
}

interface RecordSource<T> {
  /** Path of a list. Its first records are offered before the operator types anything; null to offer none. */
  path: string | null;
  /** Returns the record with this ID, or null if there is none. */
  fetchById: (id: string, signal: AbortSignal) => Promise<T | null>;
  /** The record kinds in search results, and their labels, which are shown if there are several. */
  kinds: Readonly<Record<string, string>>;
  getLabel: (record: T) => string;
  /**
   * Returns what distinguishes records with the same label. If set, options also show the subtitles from search
   * results.
   */
  getDetail?: (record: T) => string;
}

interface Option {
  value: string;
  /** Shows invisible characters as codes, because the field renders plain text. */
  label: string;
  detail?: string;
}

/** Returns the first records, or the records that match the typed text. */
async function fetchOptions<T extends { id: string }>(
  { path, kinds, getLabel, getDetail }: RecordSource<T>,
  typed: string,
  signal: AbortSignal,
): Promise<Option[]> {
  if (typed.length < 2) {
    if (path === null) return [];
    const { data } = (await fetchPath(path, { query: { limit: 50 } }, signal)) as Page<T>;
    return data.map((record) => ({
      value: record.id,
      label: showInvisible(getLabel(record)),
      detail: getDetail?.(record),
    }));
  }
  const found = await searchRecords(kinds, typed, signal);
  return found.map((record) => ({
    value: record.id,
    label: showInvisible(resultLabel(kinds, record)),
    detail: getDetail && record.subtitle,
  }));
}

async function searchRecords(
  kinds: RecordSource<unknown>['kinds'],
  q: string,
  signal: AbortSignal,
): Promise<SearchResult[]> {
  const hits = (await fetchPath('/operator/v1/search', { query: { q } }, signal)) as Page<SearchResult>;
  return hits.data.filter(({ kind }) => Object.hasOwn(kinds, kind));
}

const resultLabel = (kinds: RecordSource<unknown>['kinds'], { kind, title }: SearchResult): string =>
  Object.keys(kinds).length > 1 ? `${kinds[kind]} ${title}` : title;

/** Loads a select's options for the typed text. */
export const useRecordOptions = <T extends { id: string }>(
  source: RecordSource<T>,
  typed: string,
  enabled: boolean,
): UseQueryResult<Option[], Problem> =>
  useQuery<Option[], Problem>({
    queryKey: [source.path ?? Object.keys(source.kinds).join(), 'select', typed],
    queryFn: async ({ signal }) => fetchOptions(source, typed, signal),
    enabled,
    placeholderData: (last) => last,
    staleTime: 30_000,
  });

/** Renders a searchable select for a record. */
function RecordSelect<T extends { id: string }>({
  source,
  ...props
}: RecordSelectProps & { source: RecordSource<T> }): ReactNode {
  const [typed, setTyped] = useState('');
  const [debounced] = useDebouncedValue(typed, 200);
  const [isOpen, setOpen] = useState(false);
  const query = useRecordOptions(source, debounced, isOpen);
  const selected = useQuery<T | null, Problem>({
    queryKey: [source.path ?? Object.keys(source.kinds).join(), 'one', props.value],
    queryFn: ({ signal }) => source.fetchById(props.value, signal),
    enabled: props.value !== '',
    staleTime: 60_000,
    retry: false,
  });
  const options = query.data ?? [];
  const label = showInvisible(selected.data ? source.getLabel(selected.data) : props.value);
  const isListed = props.value === '' || options.some(({ value }) => value === props.value);
  return (
    <Select
      label={props.showLabel ? props.label : undefined}
      aria-label={props.showLabel ? undefined : props.label}
      placeholder={props.placeholder}
      error={props.error}
      withAsterisk={props.required}
      data={isListed ? options : [{ value: props.value, label }, ...options]}
      value={props.value || null}
      onChange={(id) => props.onChange(id ?? '')}
      searchable
      clearable={!props.required}
      filter={({ options: all }) => all}
      renderOption={({ option }) => <OptionText {...option} />}
      onSearchChange={(text) => setTyped(text === label ? '' : redactSecrets(text))}
      onDropdownOpen={() => setOpen(true)}
      nothingFoundMessage={query.isLoading ? 'Searching…' : 'No matching options'}
      maxDropdownHeight={320}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
    />
  );
}

function OptionText({ label, detail }: Option): ReactNode {
  return (
    <div>
      <UntrustedText text={label} />
      {detail && (
        <Text size="xs" c="dimmed">
          <UntrustedText text={detail} />
        </Text>
      )}
    </div>
  );
}

const fetchByIdFrom =
  (path: string) =>
  async <T,>(id: string, signal: AbortSignal): Promise<T> =>
    (await fetchPath(`${path}/${id}`, {}, signal)) as T;

const projects: RecordSource<{ id: string; name: string }> = {
  path: '/operator/v1/projects',
  fetchById: fetchByIdFrom('/operator/v1/projects'),
  kinds: { project: 'Project' },
  getLabel: ({ name }) => name,
};

const endpoints: RecordSource<Schemas['OperatorEndpointResponse']> = {
  path: '/operator/v1/webhooks/endpoints',
  // Attempts can be filtered by a deleted endpoint. For its ID, the list is empty, but loading the record would fail.
  fetchById: async (id, signal) => {
    const { data } = (await fetchPath(
      '/operator/v1/webhooks/endpoints',
      { query: { q: id } },
      signal,
    )) as Page<Schemas['OperatorEndpointResponse']>;
    return data[0] ?? null;
  },
  kinds: { endpoint: 'Endpoint' },
  getLabel: ({ name }) => name,
  getDetail: ({ url }) => url,
};

export const organizations: RecordSource<{ id: string; name: string }> = {
  path: '/operator/v1/organizations',
  fetchById: fetchByIdFrom('/operator/v1/organizations'),
  kinds: { organization: 'Organization' },
  getLabel: ({ name }) => name,
};

export function ProjectSelect(props: RecordSelectProps): ReactNode {
  return <RecordSelect label="Project" placeholder="All projects" {...props} source={projects} />;
}

export function EndpointSelect(props: RecordSelectProps): ReactNode {
  return <RecordSelect label="Endpoint" placeholder="All endpoints" {...props} source={endpoints} />;
}

export function OrganizationSelect(props: RecordSelectProps): ReactNode {
  return (
    <RecordSelect label="Organization" placeholder="All organizations" {...props} source={organizations} />
  );
}

interface SearchSelectProps extends RecordSelectProps {
  label: string;
  /** The record kinds in search results, with their labels. */
  kinds: Readonly<Record<string, string>>;
}

/** Renders a select that searches records of several kinds by name. */
export function SearchSelect({ kinds, ...props }: SearchSelectProps): ReactNode {
  const source: RecordSource<SearchResult> = {
    path: null,
    kinds,
    fetchById: async (id, signal) => (await searchRecords(kinds, id, signal))[0] ?? null,
    getLabel: (record) => resultLabel(kinds, record),
  };
  return <RecordSelect placeholder={props.label} {...props} source={source} />;
}
