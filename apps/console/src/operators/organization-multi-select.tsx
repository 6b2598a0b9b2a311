import { MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { fetchPath } from '../http/queries';
import { organizations, useRecordOptions } from '../components/record-select';
import { redactSecrets } from '../components/redact-secrets';
import { showInvisible } from '../components/visible-text';

interface OrganizationMultiSelectProps {
  /** The selected organizations' IDs. */
  value: string[];
  onChange: (ids: string[]) => void;
  maxValues: number;
  error?: ReactNode;
}

/** Renders a searchable multi-select for organizations. */
export function OrganizationMultiSelect({
  value,
  onChange,
  ...props
}: OrganizationMultiSelectProps): ReactNode {
  const [typed, setTyped] = useState('');
  const [debounced] = useDebouncedValue(redactSecrets(typed), 200);
  const query = useRecordOptions(organizations, debounced, true);
  const selected = useQueries({
    queries: value.map((id) => ({
      queryKey: [organizations.path, 'one', id],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await fetchPath(`${organizations.path}/${id}`, {}, signal)) as { id: string; name: string },
      staleTime: 60_000,
      retry: false,
    })),
  });
  const options = query.data ?? [];
  const listed = new Set(options.map((option) => option.value));
  const unlisted = value
    .map((id, index) => ({ value: id, label: showInvisible(selected[index]?.data?.name ?? id) }))
    .filter((option) => !listed.has(option.value));
  return (
    <MultiSelect
      label="Organizations"
      description="Also grants access to organizations that the selected ones created"
      placeholder={value.length === 0 ? 'Search by name' : undefined}
      data={[...unlisted, ...options]}
      value={value}
      onChange={onChange}
      searchable
      hidePickedOptions
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options: all }) => all}
      nothingFoundMessage={query.isLoading ? 'Searching…' : 'No matching options'}
      maxDropdownHeight={240}
      {...props}
    />
  );
}
