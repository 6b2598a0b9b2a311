import { Stack, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { EventPicker } from './event-picker';
import { HeadersInput } from './headers-input';
import { toRows, type HeaderRow } from './headers-patch';

/** An endpoint's editable fields, as entered. */
export interface EndpointFields {
  /** Empty to use the URL's host. */
  name: string;
  url: string;
  description: string;
  events: string[];
  headers: HeaderRow[];
}

export const endpointLabels: Record<keyof EndpointFields, string> = {
  name: 'Name',
  url: 'URL',
  description: 'Description',
  events: 'Events',
  headers: 'Custom headers',
};

export const emptyFields: EndpointFields = { name: '', url: '', description: '', events: ['*'], headers: [] };

/** Returns a URL's host, which is an endpoint's default name; "" if the text is not a URL. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');

export const toFields = (endpoint: Schemas['EndpointResponse']): EndpointFields => ({
  name: endpoint.name === hostOf(endpoint.url) ? '' : endpoint.name,
  url: endpoint.url,
  description: endpoint.description ?? '',
  events: endpoint.events,
  headers: toRows(endpoint.headers),
});

/** Returns true if the required fields are filled. */
export const isComplete = ({ url, events }: EndpointFields): boolean =>
  url.trim() !== '' && events.length > 0;

interface EndpointFormProps {
  value: EndpointFields;
  onChange: (changes: Partial<EndpointFields>) => void;
  /** Validation errors from the API, by field name. */
  errors: Record<string, string>;
}

/** Renders an endpoint's fields, for creating and editing it. */
export function EndpointForm({ value, onChange: set, errors }: EndpointFormProps): ReactNode {
  return (
    <Stack>
      <TextInput
        label={endpointLabels.url}
        description="Gatehouse sends deliveries to this URL as POST requests."
        type="url"
        required
        maxLength={2048}
        placeholder="https://app.example.com/webhooks"
        value={value.url}
        error={errors.url}
        onChange={(event) => set({ url: event.currentTarget.value })}
      />
      <TextInput
        label={endpointLabels.name}
        description="Identifies the endpoint in lists. If empty, the host of the URL is used."
        maxLength={100}
        placeholder={hostOf(value.url.trim())}
        value={value.name}
        error={errors.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <Textarea
        label={endpointLabels.description}
        description="Your own note, for example the system behind the URL and whom to contact."
        maxLength={500}
        autosize
        minRows={1}
        value={value.description}
        error={errors.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
      <EventPicker value={value.events} onChange={(events) => set({ events })} error={errors.events} />
      <HeadersInput rows={value.headers} onChange={(headers) => set({ headers })} errors={errors} />
    </Stack>
  );
}
