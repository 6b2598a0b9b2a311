import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Schemas } from '../http/client';
import type { Problem } from '../http/problem';
import { fetchPath } from '../http/queries';
import { isCustomEventType } from './custom-event-type';

type EventType = Schemas['EventTypeResponse'];

interface EventTypeSelectProps {
  /** An event type, or "" for all. */
  value: string;
  onChange: (type: string) => void;
  /** Also offers groups such as `customer.*`, which include all events for a resource. */
  allowGroups?: boolean;
}

const PATH = '/operator/v1/webhooks/event-types';
const NO_TYPES: EventType[] = [];

/** Returns the server's event types; an empty array until they are loaded. */
export function useEventTypes(): EventType[] {
  // Never stale, because only a new server version adds event types.
  const { data } = useQuery<EventType[], Problem>({
    queryKey: [PATH, 'all'],
    queryFn: async ({ signal }) => ((await fetchPath(PATH, {}, signal)) as { data: EventType[] }).data,
    staleTime: Infinity,
  });
  return data ?? NO_TYPES;
}

/** Groups event types by resource: `customer.created` by `customer`. */
export function groupByResource(types: EventType[]): [resource: string, types: EventType[]][] {
  const resources = new Set(types.map(({ type }) => type.split('.', 1)[0]!));
  return [...resources].map((resource) => [
    resource,
    types.filter(({ type }) => type.startsWith(`${resource}.`)),
  ]);
}

/** Renders a select for an event type. A custom type can be entered in full. */
export function EventTypeSelect({ value, onChange, allowGroups = false }: EventTypeSelectProps): ReactNode {
  const [search, setSearch] = useState('');
  const types = groupByResource(useEventTypes()).flatMap(([resource, resourceTypes]) => [
    ...(allowGroups && resourceTypes.length > 1 ? [`${resource}.*`] : []),
    ...resourceTypes.map(({ type }) => type),
  ]);
  const custom = [...new Set([value, isCustomEventType(search) ? search : ''])];
  return (
    <Select
      aria-label="Event type"
      placeholder="All event types"
      clearable
      searchable
      data={[...custom.filter((type) => type && !types.includes(type)), ...types]}
      onSearchChange={setSearch}
      value={value || null}
      onChange={(type) => onChange(type ?? '')}
      nothingFoundMessage="No matching options. Enter a custom type in full."
      maxDropdownHeight={320}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
    />
  );
}
