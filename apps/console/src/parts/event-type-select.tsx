import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import type { Problem } from '../http/problem';
import { fetchPath } from '../http/queries';

type EventType = Schemas['EventTypeResponse'];

interface EventTypeSelectProps {
  /** A type of event, or "" for any. */
  value: string;
  onChange: (type: string) => void;
  /** Whether `customer.*`, which is all of a noun, can be chosen too. */
  allowGroups?: boolean;
}

const PATH = '/operator/v1/webhooks/event-types';
const NO_TYPES: EventType[] = [];

/** The types of events that the house knows; none until it has said them. */
export function useEventTypes(): EventType[] {
  // A house learns new ones only with a new version.
  const { data } = useQuery<EventType[], Problem>({
    queryKey: [PATH, 'all'],
    queryFn: async ({ signal }) => ((await fetchPath(PATH, {}, signal)) as { data: EventType[] }).data,
    staleTime: Infinity,
  });
  return data ?? NO_TYPES;
}

/** Types by what they are about: `customer.created` by `customer`. */
export function groupByResource(types: EventType[]): [noun: string, types: EventType[]][] {
  const nouns = new Set(types.map(({ type }) => type.split('.', 1)[0]!));
  return [...nouns].map((noun) => [noun, types.filter(({ type }) => type.startsWith(`${noun}.`))]);
}

/** One of the types of events that the house knows. */
export function EventTypeSelect({ value, onChange, allowGroups = false }: EventTypeSelectProps): ReactNode {
  const types = groupByResource(useEventTypes()).flatMap(([noun, own]) => [
    ...(allowGroups && own.length > 1 ? [`${noun}.*`] : []),
    ...own.map(({ type }) => type),
  ]);
  return (
    <Select
      aria-label="Event type"
      placeholder="All event types"
      clearable
      searchable
      data={value && !types.includes(value) ? [value, ...types] : types}
      value={value || null}
      onChange={(type) => onChange(type ?? '')}
      nothingFoundMessage="No matching options"
      maxDropdownHeight={320}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
    />
  );
}
