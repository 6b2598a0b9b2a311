import { Checkbox, Fieldset, Radio, ScrollArea, Stack, TagsInput, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { ALL_CUSTOM_EVENTS, isCustomEventType } from '../components/custom-event-type';
import { groupByResource, useEventTypes } from '../components/event-type-select';
import classes from './endpoints.module.css';

type EventType = Schemas['EventTypeResponse'];

interface EventPickerProps {
  /** Event types, custom types, `<resource>.*` and `*`, as stored in an endpoint. */
  value: string[];
  onChange: (events: string[]) => void;
  error?: ReactNode;
}

const ALL_EVENTS = '*';

/** Renders the inputs for the events: all events, all events for a resource, single types, or custom events. */
export function EventPicker({ value, onChange, error }: EventPickerProps): ReactNode {
  // Test events are sent to any endpoint, regardless of its subscription, so they cannot be selected.
  const types = useEventTypes().filter(({ type }) => type !== 'webhook.test' && type !== ALL_CUSTOM_EVENTS);
  const isAllSelected = value.includes(ALL_EVENTS);
  const namedOnly = types.filter((type) => type.named_only);
  const toggle = (entry: string, isOn: boolean): void =>
    onChange(isOn ? [...value, entry] : value.filter((selected) => selected !== entry));
  const row = (type: EventType): ReactNode => (
    <EventTypeCheckbox key={type.type} type={type} value={value} onToggle={toggle} />
  );
  return (
    <Fieldset legend="Events">
      <Stack gap="sm">
        <Radio.Group
          aria-label="Event selection"
          value={isAllSelected ? 'all' : 'some'}
          onChange={(choice) =>
            onChange(choice === 'all' ? [ALL_EVENTS] : value.filter((entry) => entry !== ALL_EVENTS))
          }
        >
          <Stack gap="xs">
            <Radio
              value="all"
              label="All events, including custom events and types that later versions add"
            />
            <Radio value="some" label="Selected events only" />
          </Stack>
        </Radio.Group>
        {isAllSelected && (
          <div className={classes.picked}>
            <Text size="xs" c="dimmed" mb={6}>
              These types are not part of “All events”. Select them explicitly:
            </Text>
            <Stack gap={8}>{namedOnly.map(row)}</Stack>
          </div>
        )}
        {!isAllSelected && (
          <ScrollArea.Autosize mah={300} type="auto" className={classes.picked} viewportProps={viewportProps}>
            <Stack gap="md">
              {groupByResource(types).map(([resource, resourceTypes]) => (
                <Stack key={resource} gap={8} role="group" aria-label={resource}>
                  {resourceTypes.length > 1 && (
                    <Checkbox
                      size="xs"
                      styles={groupStyles}
                      label={`${resource}.*`}
                      description="All of these types, including types that later versions add"
                      checked={value.includes(`${resource}.*`)}
                      onChange={(event) => toggle(`${resource}.*`, event.currentTarget.checked)}
                    />
                  )}
                  <Stack gap={8} pl={resourceTypes.length > 1 ? 'lg' : 0}>
                    {resourceTypes.map(row)}
                  </Stack>
                </Stack>
              ))}
              <CustomEvents value={value} onChange={onChange} onToggle={toggle} />
            </Stack>
          </ScrollArea.Autosize>
        )}
        {error && (
          <Text c="red" size="xs" role="alert">
            {error}
          </Text>
        )}
      </Stack>
    </Fieldset>
  );
}

const checkboxStyles = { description: { fontSize: 'var(--mantine-font-size-xs)', marginTop: 2 } };
const groupStyles = { ...checkboxStyles, label: { fontWeight: 600 } };
const viewportProps = { tabIndex: 0, 'aria-label': 'Event types', role: 'group' };

interface EventTypeCheckboxProps {
  type: EventType;
  value: string[];
  onToggle: (entry: string, isOn: boolean) => void;
}

/** Renders an event type's checkbox. It is checked and disabled while all events for its resource are selected. */
function EventTypeCheckbox({
  type: { type, description },
  value,
  onToggle,
}: EventTypeCheckboxProps): ReactNode {
  const isCovered = value.includes(`${type.split('.', 1)[0]}.*`);
  return (
    <Checkbox
      size="xs"
      styles={checkboxStyles}
      label={type}
      description={description}
      checked={isCovered || value.includes(type)}
      disabled={isCovered}
      onChange={(event) => onToggle(type, event.currentTarget.checked)}
    />
  );
}

interface CustomEventsProps extends Pick<EventPickerProps, 'value' | 'onChange'> {
  onToggle: (entry: string, isOn: boolean) => void;
}

/** Renders the inputs for custom events: all of them, or individual types. */
function CustomEvents({ value, onChange, onToggle }: CustomEventsProps): ReactNode {
  const [rejected, setRejected] = useState('');
  const isCovered = value.includes(ALL_CUSTOM_EVENTS);
  const setTypes = (entries: string[]): void => {
    setRejected(entries.find((entry) => !isCustomEventType(entry)) ?? '');
    onChange([...value.filter((entry) => !isCustomEventType(entry)), ...entries.filter(isCustomEventType)]);
  };
  return (
    <Stack gap={8} role="group" aria-label="app">
      <Checkbox
        size="xs"
        styles={groupStyles}
        label={ALL_CUSTOM_EVENTS}
        description="All custom events that your servers send"
        checked={isCovered}
        onChange={(event) => onToggle(ALL_CUSTOM_EVENTS, event.currentTarget.checked)}
      />
      <TagsInput
        size="xs"
        pl="lg"
        label="Custom event types"
        placeholder="app.order.paid"
        splitChars={[',', ' ']}
        disabled={isCovered}
        value={value.filter(isCustomEventType)}
        onChange={setTypes}
        error={rejected && `“${rejected}” is not a custom event type such as app.order.paid`}
      />
    </Stack>
  );
}
